// The blank of a robot's forearm, for Gmsh: 300 mm from the axis of the elbow to that of the wrist, 20 mm thick, with round
// bearings. Units are mm. Gmsh writes the STEP file beside it:    gmsh robot_link.geo -0 -o robot_link.step
SetFactory("OpenCASCADE");
length = 300;
half = 10;              // of the thickness
elbow = 40;             // radii of the eyes
wrist = 28;
elbow_bearing = 20;     // radii of the holes
wrist_bearing = 13;

// The hull of both eyes: they and the quadrilateral between their common tangents.
s = (elbow - wrist) / length;
c = Sqrt(1 - s^2);
Point(1) = {elbow * s, elbow * c, -half};
Point(2) = {elbow * s, -elbow * c, -half};
Point(3) = {length + wrist * s, -wrist * c, -half};
Point(4) = {length + wrist * s, wrist * c, -half};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Curve Loop(1) = {1:4};
Plane Surface(1) = {1};
shank() = Extrude {0, 0, 2 * half} { Surface{1}; };
Cylinder(2) = {0, 0, -half, 0, 0, 2 * half, elbow};
Cylinder(3) = {length, 0, -half, 0, 0, 2 * half, wrist};
BooleanUnion(4) = { Volume{shank(1)}; Delete; }{ Volume{2, 3}; Delete; };
Cylinder(5) = {0, 0, -half, 0, 0, 2 * half, elbow_bearing};
Cylinder(6) = {length, 0, -half, 0, 0, 2 * half, wrist_bearing};
BooleanDifference(7) = { Volume{4}; Delete; }{ Volume{5, 6}; Delete; };
