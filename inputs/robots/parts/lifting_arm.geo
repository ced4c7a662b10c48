// A straight arm of 0.6 m for lifting_arm.toml, 60 mm high at its flange and 24 mm at its hand, of 60 x 4 quadrilaterals.
Point(1) = {0, -0.03, 0};
Point(2) = {0.6, -0.012, 0};
Point(3) = {0.6, 0.012, 0};
Point(4) = {0, 0.03, 0};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
Transfinite Curve{1, 3} = 61;
Transfinite Curve{2, 4} = 5;
Transfinite Surface{1};
Recombine Surface{1};
