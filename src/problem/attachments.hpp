/// @file
/// The attachment modes that a flexible body needs.
#pragma once

#include <vector>

#include "fem/body_spec.hpp"
#include "mechanism/system_spec.hpp"

namespace kurbel {

/// The unit loads at a body's markers whose static answers let the modal basis follow what acts there.
///
/// * a joint that locks or drives a translation: forces along all axes
/// * a joint that locks or drives rotations: moments about these axes of the marker; about all three if it is
/// one
///   (whose direction moves in the body) or three
/// * a spring: forces; a torsion spring: a moment about z; a load: forces, moments, or both, as it has them
///
/// In 2D only Fx, Fy and Mz have a meaning; the others are omitted. Loads at the reference frame ("origin",
/// the clamp) deform nothing and give none.
/// @return  in the order of body.markers, only markers with a load
std::vector<fem::AttachmentSpec> attachments_of(const fem::FlexibleBodySpec& body, const SystemSpec& system);

/// Adds what another one at the same marker has.
void unite(fem::AttachmentSpec& attachment, const fem::AttachmentSpec& other);

}  // namespace kurbel
