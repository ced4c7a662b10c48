// The arm of lifting_arm.toml as one would draw it: 76 mm high at its flange, 22 mm at 0.4 m and 5 mm before the hand, of 60 x 4
// quadrilaterals. The hand keeps its 24 mm.
x[] = {0, 0.4, 0.59, 0.6};
h[] = {0.076, 0.022, 0.005, 0.024};
n[] = {40, 19, 1};
For i In {0:3}
  Point(2 * i + 1) = {x[i], -h[i] / 2, 0};
  Point(2 * i + 2) = {x[i], h[i] / 2, 0};
  Line(i + 1) = {2 * i + 1, 2 * i + 2};
  Transfinite Curve{i + 1} = 5;
EndFor
For i In {0:2}
  Line(10 + i) = {2 * i + 1, 2 * i + 3};
  Line(20 + i) = {2 * i + 2, 2 * i + 4};
  Transfinite Curve{10 + i, 20 + i} = n[i] + 1;
  Curve Loop(i + 1) = {10 + i, i + 2, -(20 + i), -(i + 1)};
  Plane Surface(i + 1) = {i + 1};
  Transfinite Surface{i + 1};
  Recombine Surface{i + 1};
EndFor
