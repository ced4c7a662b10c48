// A crank with round bearings, for Gmsh: 200 mm from axis to axis, eyes of 20 mm radius, holes of 8 mm radius. Units are m.
SetFactory("OpenCASCADE");
length = 0.2;
eye = 0.02;
hole = 0.008;

Rectangle(1) = {0, -eye, 0, length, 2 * eye};
Disk(2) = {0, 0, 0, eye};
Disk(3) = {length, 0, 0, eye};
BooleanUnion(4) = { Surface{1}; Delete; }{ Surface{2, 3}; Delete; };
Disk(5) = {0, 0, 0, hole};
Disk(6) = {length, 0, 0, hole};
BooleanDifference(7) = { Surface{4}; Delete; }{ Surface{5, 6}; Delete; };

// The names by which the problem file picks its bearings.
r = 1.01 * hole;
shaft() = Curve In BoundingBox {-r, -r, -1, r, r, 1};
pin() = Curve In BoundingBox {length - r, -r, -1, length + r, r, 1};
Physical Surface("crank") = {7};
Physical Curve("shaft") = shaft();
Physical Curve("pin") = pin();

Mesh.MeshSizeMax = 0.002;
