#include "output/png_file.hpp"

#include <fmt/format.h>
#include <vtkErrorCode.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPNGWriter.h>
#include <vtkUnsignedCharArray.h>

#include <algorithm>
#include <cassert>

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

  vtkNew<vtkPNGWriter> writer;
  writer->WriteToMemoryOn();
  writer->SetInputData(data);
  vtkObject::GlobalWarningDisplayOff();
  writer->Write();
  vtkUnsignedCharArray* bytes = writer->GetResult();
  if (bytes == nullptr || writer->GetErrorCode() != vtkErrorCode::NoError) {
    throw WriteError(fmt::format("cannot write {}: {}", path.string(),
                                 vtkErrorCode::GetStringFromErrorCode(writer->GetErrorCode())));
  }
  const auto* first = reinterpret_cast<const char*>(bytes->GetPointer(0));
  write_text_file(path, std::string(first, first + bytes->GetNumberOfValues()));
}

}  // namespace kurbel
