#include "output/png_file.hpp"

#include <fmt/format.h>
#include <vtkErrorCode.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPNGWriter.h>

#include <algorithm>
#include <cassert>

#include "base/errors.hpp"
#include "base/files.hpp"

namespace kurbel {

void write_png(const std::filesystem::path& path, const RgbImage& image) {
  assert(image.pixels.size() ==
         static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height));
  vtkNew<vtkImageData> data;
  data->SetDimensions(image.width, image.height, 1);
  data->AllocateScalars(VTK_UNSIGNED_CHAR, 3);
  auto* component = static_cast<std::uint8_t*>(data->GetScalarPointer());
  for (const Color& color : image.pixels) component = std::copy(color.begin(), color.end(), component);

  AtomicFile file(path);
  vtkNew<vtkPNGWriter> writer;
  writer->SetFileName(file.temporary().c_str());
  writer->SetInputData(data);
  vtkObject::GlobalWarningDisplayOff();
  writer->Write();
  if (writer->GetErrorCode() != vtkErrorCode::NoError) {
    throw InputError(fmt::format("cannot write {}: {}", path.string(),
                                 vtkErrorCode::GetStringFromErrorCode(writer->GetErrorCode())));
  }
  file.commit();
}

}  // namespace kurbel
