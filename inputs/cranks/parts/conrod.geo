// A blank for a connecting rod, for Gmsh: 140 mm from axis to axis, 16 mm thick, with round bearings. Units are m.
SetFactory("OpenCASCADE");
length = 0.14;
half = 0.008;           // of the thickness
big = 0.026;            // radii of the eyes
small = 0.017;
crank_pin = 0.018;      // radii of the holes
piston_pin = 0.010;

// The hull of both eyes: they and the quadrilateral between their common tangents.
s = (big - small) / length;
c = Sqrt(1 - s^2);
Point(1) = {big * s, big * c, -half};
Point(2) = {big * s, -big * c, -half};
Point(3) = {length + small * s, -small * c, -half};
Point(4) = {length + small * s, small * c, -half};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Curve Loop(1) = {1:4};
Plane Surface(1) = {1};
shank() = Extrude {0, 0, 2 * half} { Surface{1}; };
Cylinder(2) = {0, 0, -half, 0, 0, 2 * half, big};
Cylinder(3) = {length, 0, -half, 0, 0, 2 * half, small};
BooleanUnion(4) = { Volume{shank(1)}; Delete; }{ Volume{2, 3}; Delete; };
Cylinder(5) = {0, 0, -half, 0, 0, 2 * half, crank_pin};
Cylinder(6) = {length, 0, -half, 0, 0, 2 * half, piston_pin};
BooleanDifference(7) = { Volume{4}; Delete; }{ Volume{5, 6}; Delete; };

r = 1.01 * crank_pin;
q = 1.01 * piston_pin;
big_end() = Surface In BoundingBox {-r, -r, -1, r, r, 1};
small_end() = Surface In BoundingBox {length - q, -q, -1, length + q, q, 1};
Physical Volume("rod") = {7};
Physical Surface("big end") = big_end();
Physical Surface("small end") = small_end();

Mesh.MeshSizeMax = 0.005;
