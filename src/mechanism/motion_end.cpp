#include "mechanism/motion_end.hpp"

#include "mechanism/composed_function.hpp"

namespace kurbel {

namespace {

void follow(const MotionTime& time, std::array<TimeFunctionPtr, 3>& components) {
  for (TimeFunctionPtr& component : components) follow_motion(time, component);
}

}  // namespace

void follow_motion(const MotionTime& time, TimeFunctionPtr& function) {
  function = in_motion(function, time.t0, time.t1);
}

void follow_motion(const MotionTime& time, MarkerLoadSpec& load) {
  follow(time, load.force);
  follow(time, load.torque);
}

CriterionTerm in_motion(CriterionTerm term, const MotionTime& time) {
  follow(time, term.target);
  return term;
}

void set_end_of_motion(double t1, SystemSpec& spec) {
  spec.time.t1 = t1;
  for (ControlSpec& control : spec.controls) control.grid.stretch_to(t1);
  for (MarkerLoadSpec& load : spec.loads) follow_motion(spec.time, load);
  for (JointSpec& joint : spec.joints) {
    for (DriveSpec& drive : joint.drives) follow_motion(spec.time, drive.motion);
  }
}

}  // namespace kurbel
