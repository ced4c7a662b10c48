/// @file
/// Meshes as VTK itself writes them, whole and damaged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vtkBitArray.h>
#include <vtkDoubleArray.h>
#include <vtkFieldData.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkSignedCharArray.h>
#include <vtkStringArray.h>
#include <vtkTypeUInt64Array.h>
#include <vtkUnstructuredGrid.h>
#include <vtkUnstructuredGridWriter.h>
#include <vtkXMLUnstructuredGridWriter.h>

#include "quadratic_meshes.hpp"
#include "tests/input_error.hpp"
#include "tests/parts/part_texts.hpp"

namespace kurbel::test {
namespace {

using namespace fem;
using namespace fem::test;

struct WrittenGrid {
  std::string name;  ///< of the file
  std::string text;
  std::string kind;  ///< for messages of tests
};

std::shared_ptr<const Mesh> tetrahedra() {
  return free_mesh(unit_box(3, 2), Split::all, 0.2);
}

vtkSmartPointer<vtkUnstructuredGrid> grid_of(const Mesh& mesh) {
  auto grid = vtkSmartPointer<vtkUnstructuredGrid>::New();
  const vtkNew<vtkPoints> points;
  points->SetDataTypeToDouble();
  for (const auto& x : mesh.positions().colwise()) points->InsertNextPoint(x.data());
  grid->SetPoints(points);
  for (Eigen::Index e = 0; e < mesh.n_elements(); ++e) {
    std::vector<vtkIdType> nodes;
    for (const int node : mesh.nodes_of(e)) nodes.push_back(node);
    grid->InsertNextCell(VTK_TETRA, std::ssize(nodes), nodes.data());
  }
  return grid;
}

/// The grid in every encoding that VTK has.
std::vector<WrittenGrid> written_grids(vtkUnstructuredGrid& grid) {
  std::vector<WrittenGrid> files;
  using Writer = vtkXMLWriter;
  const auto add_xml = [&](int mode, int compressor, int header, bool encoded, int order) {
    const vtkNew<vtkXMLUnstructuredGridWriter> writer;
    writer->SetInputData(&grid);
    writer->SetDataMode(mode), writer->SetCompressorType(compressor), writer->SetHeaderType(header);
    writer->SetEncodeAppendedData(encoded), writer->SetByteOrder(order), writer->SetBlockSize(512);
    writer->WriteToOutputStringOn();
    writer->Write();
    files.push_back({"part.vtu", writer->GetOutputString(),
                     fmt::format("mode {}, compressor {}, header {}, encoded {}, byte order {}", mode,
                                 compressor, header, encoded, order)});
  };
  add_xml(Writer::Ascii, Writer::NONE, Writer::UInt32, true, Writer::LittleEndian);
  for (const int compressor : {Writer::NONE, Writer::ZLIB, Writer::LZ4, Writer::LZMA}) {
    add_xml(Writer::Binary, compressor, Writer::UInt32, true, Writer::LittleEndian);
    add_xml(Writer::Appended, compressor, Writer::UInt64, true, Writer::LittleEndian);
    add_xml(Writer::Appended, compressor, Writer::UInt32, false, Writer::BigEndian);
  }
  for (const int version :
       {vtkDataWriter::VTK_LEGACY_READER_VERSION_4_2, vtkDataWriter::VTK_LEGACY_READER_VERSION_5_1}) {
    for (const int type : {VTK_ASCII, VTK_BINARY}) {
      const vtkNew<vtkUnstructuredGridWriter> writer;
      writer->SetInputData(&grid);
      writer->SetFileVersion(version), writer->SetFileType(type);
      writer->WriteToOutputStringOn();
      writer->Write();
      files.push_back(
          {"part.vtk",
           std::string(writer->GetOutputString(), static_cast<std::size_t>(writer->GetOutputStringLength())),
           fmt::format("version {}, type {}", version, type)});
    }
  }
  return files;
}

void expect_read_as(const Mesh& expected, const WrittenGrid& file) {
  SCOPED_TRACE(file.kind);
  const auto mesh = mesh_of(file.name, file.text);
  EXPECT_EQ(mesh->blocks()[0].nodes, expected.blocks()[0].nodes);
  EXPECT_LT((mesh->positions() - expected.positions()).norm(), 1e-6) << "text has 6 digits in legacy files";
}

TEST(MeshesOfVtk, AreReadInEveryEncoding) {
  const auto expected = tetrahedra();
  for (const WrittenGrid& file : written_grids(*grid_of(*expected))) expect_read_as(*expected, file);
}

/// Adds arrays of the types that are no numbers of their own size, and one whose components have names.
void add_fields(vtkFieldData& fields) {
  const vtkNew<vtkStringArray> strings;
  strings->SetName("names of parts");
  strings->SetNumberOfComponents(2);
  for (const std::size_t length : {0u, 1u, 63u, 64u, 16'383u, 16'384u})
    strings->InsertNextValue(std::string(length, ' '));
  strings->InsertNextValue("two\nlines"), strings->InsertNextValue("50 % of POINTS");
  const vtkNew<vtkBitArray> bits;
  bits->SetName("bits");
  for (int i = 0; i < 20'001; ++i) bits->InsertNextValue(i % 2);
  const vtkNew<vtkDoubleArray> loads;
  loads->SetName("loads");
  loads->SetNumberOfComponents(2);
  loads->SetComponentName(0, "along x"), loads->SetComponentName(1, "along y");
  for (const double load : {1.0, 2.0, 3.0, 4.0}) loads->InsertNextValue(load);
  const vtkNew<vtkSignedCharArray> small;
  small->SetName("small");
  small->InsertNextValue(-1);
  const vtkNew<vtkTypeUInt64Array> large;
  large->SetName("large");
  large->InsertNextValue(0xffff'ffff'ffff'ffffu);
  fields.AddArray(strings), fields.AddArray(bits), fields.AddArray(loads);
  fields.AddArray(small), fields.AddArray(large);
}

TEST(MeshesOfVtk, AreReadWithFieldsOfEveryType) {
  const auto expected = tetrahedra();
  const auto grid = grid_of(*expected);
  add_fields(*grid->GetFieldData());
  for (const WrittenGrid& file : written_grids(*grid)) expect_read_as(*expected, file);
}

/// Area of the triangle (0, 0, 0), (1, 0, 0), (0, 1, 0) in a file.
void expect_triangle(const std::string& name, const std::string& text) {
  EXPECT_NEAR(mesh_of(name, text)->measures().sum(), 0.5, 1e-15) << text;
}

TEST(MeshesOfVtk, HaveLegacyKeywordsInAnyCase) {
  expect_triangle("part.vtk",
                  "# vtk DataFile Version 3.0\ntitle\nascii\ndataset Unstructured_Grid\nfield f 2\na 1 2 "
                  "String\nx y\n\nb 1 1 BIT\n1\npoints 3 FLOAT\n0 0 0  1 0 0  0 1 0\nmetadata\ninformation "
                  "0\n\nCells 1 4\n3 0 1 2\ncell_types 1\n5\nPoint_Data 3\n");
  expect_triangle(
      "part.vtk",
      "# vtk DataFile Version 5.1\ntitle\nAscii\nDataset unstructured_grid\nPoints 3 Double\n0 0 0 "
      "1 0 0  0 1 0\ncells 2 3\noffsets VtkTypeInt64\n0 3\nconnectivity VTKTYPEINT64\n0 1 "
      "2\nCell_Types 1\n5\n");
}

/// The message of a file that is refused; empty if the file is read.
std::string message_of(const WrittenGrid& file, const std::string& text) {
  try {
    mesh_of(file.name, text);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

void expect_one_line(const WrittenGrid& file, const std::string& message) {
  EXPECT_THAT(message, testing::HasSubstr(file.name)) << file.kind;
  EXPECT_TRUE(std::ranges::none_of(message, [](char c) { return c >= 0 && c < ' '; })) << message;
}

TEST(MeshesOfVtk, AreRefusedWhereTheyAreCutOff) {
  const auto grid = grid_of(*tetrahedra());
  add_fields(*grid->GetFieldData());
  for (const WrittenGrid& file : written_grids(*grid)) {
    // VTK writes types last in legacy files; what follows belongs to no mesh, nor does the line end of XML.
    const std::size_t whole =
        file.name == "part.vtk" ? file.text.find("CELL_TYPES") : file.text.rfind("</VTKFile>");
    constexpr std::size_t n_cuts = 30;
    for (std::size_t i = 0; i <= n_cuts; ++i) {
      const std::string message = message_of(file, file.text.substr(0, whole * i / n_cuts));
      ASSERT_FALSE(message.empty()) << file.kind << " is read when cut off at " << i << " of " << n_cuts;
      expect_one_line(file, message);
    }
  }
}

/// A changed coordinate may still be one: such files are read. Any other exception than an InputError fails the test.
TEST(MeshesOfVtk, WithChangedBytesAreReadOrRefused) {
  for (const WrittenGrid& file : written_grids(*grid_of(*tetrahedra()))) {
    constexpr std::size_t n_places = 60;
    std::size_t n_refused = 0;
    for (std::size_t i = 0; i < n_places; ++i) {
      for (const unsigned flipped : {0x01u, 0x10u, 0xffu}) {
        std::string text = file.text;
        char& byte = text[text.size() * i / n_places];
        byte = static_cast<char>(static_cast<unsigned char>(byte) ^ flipped);
        const std::string message = message_of(file, text);
        if (message.empty()) continue;
        expect_one_line(file, message);
        ++n_refused;
      }
    }
    EXPECT_GT(n_refused, n_places / 4) << file.kind;
  }
}

std::string xml_triangle(const std::string& count, const std::string& format, const std::string& x) {
  return "<?xml version = \"1.0\"?>\n<!DOCTYPE VTKFile [ <!ELEMENT VTKFile ANY> ]>\n<VTKFile type = "
         "\"UnstructuredGrid\">\n<UnstructuredGrid>\n<Piece NumberOfPoints =\"" +
         count + "\" NumberOfCells= '\t1 '>\n<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" " +
         format + ">0 0 " + x + " 1 0 0 0 1 0</DataArray></Points>\n<Cells><DataArray type=\"Int32\" " +
         "Name=\"connectivity\" " + format + ">0 1 2</DataArray>\n<DataArray type=\"Int32\" Name\n=\n" +
         "\"offsets\" " + format + ">3</DataArray>\n<DataArray type=\"UInt8\" Name=\"types\" " + format +
         ">5</DataArray></Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n";
}

TEST(MeshesOfVtk, HaveTextWhereNoOtherFormatIsNamed) {
  for (const std::string format : {"", "format=\"ascii\"", "format=\"ASCII\"", "Format=\"ascii\""})
    expect_triangle("part.vtu", xml_triangle("3", format, "0"));
}

TEST(MeshesOfVtk, HaveAppendedDataWhereThereIsAnOffset) {
  std::string text = written_grids(*grid_of(*tetrahedra()))[2].text;
  ASSERT_THAT(text, testing::HasSubstr("format=\"appended\""));
  for (std::size_t at = 0; (at = text.find(" format=\"appended\"", at)) != text.npos;)
    text.replace(at, 18, "");
  for (std::size_t at = 0; (at = text.find("offset=\"", at)) != text.npos; at += 9) text.insert(at + 8, " ");
  EXPECT_EQ(mesh_of("part.vtu", text)->n_elements(), tetrahedra()->n_elements());
}

TEST(MeshesOfVtk, HaveNumbersThatAreTooSmallForADouble) {
  for (const std::string tiny : {"1e-400", "-1e-400", "+1e-99999", "1e-310"})
    expect_triangle("part.vtu", xml_triangle("3", "", tiny));
  for (const std::string bad : {"1e400", "-1e400", "1e-400x", "+-1e-400", "1e-4,0"})
    EXPECT_THROW(mesh_of("part.vtu", xml_triangle("3", "", bad)), InputError) << bad;
}

TEST(MeshesOfVtk, HaveBlanksInTagsAndADocumentType) {
  expect_triangle("part.vtu", xml_triangle(" 3 ", "format = 'ascii'", "0"));
  expect_input_error([] { mesh_of("part.vtu", xml_triangle(" 3 1", "", "0")); },
                     {"part.vtu:5: NumberOfPoints = \" 3 1\" is no number of things that a mesh may have"});
}

std::string base64_file(const std::string& points, const std::string& attributes) {
  return "<VTKFile type=\"UnstructuredGrid\" " + attributes +
         ">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"3\" NumberOfCells=\"1\">\n<Points>\n<DataArray "
         "type=\"Float32\" Name=\"Points\" NumberOfComponents=\"3\" format=\"binary\">" +
         points +
         "</DataArray>\n</Points>\n<Cells>\n<DataArray type=\"Int32\" Name=\"connectivity\" "
         "format=\"ascii\">0 1 2</DataArray>\n<DataArray type=\"Int32\" Name=\"offsets\" "
         "format=\"ascii\">3</DataArray>\n<DataArray type=\"UInt8\" Name=\"types\" "
         "format=\"ascii\">5</DataArray>\n</Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n";
}

/// The points (0, 0, 0), (1, 0, 0), (0, 1, 0) as Float32 behind their number of bytes, 36; head and numbers are encoded
/// apart, or as one.
TEST(MeshesOfVtk, TellWhichOfTheirDataAreDamaged) {
  const std::string numbers = "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA";
  const std::string as_one = "JAAAAAAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAAAAA==";
  EXPECT_NEAR(mesh_of("part.vtu", base64_file("JAAAAA==" + numbers, ""))->measures().sum(), 0.5, 1e-15);
  EXPECT_NEAR(mesh_of("part.vtu", base64_file(as_one, ""))->measures().sum(), 0.5, 1e-15);
  const auto expect_refused = [](const std::string& points, const std::string& attributes,
                                 const std::string& message) {
    expect_input_error([&] { mesh_of("part.vtu", base64_file(points, attributes)); },
                       {"part.vtu:5: it is damaged or cut off: the array \"Points\": " + message});
  };
  expect_refused("JAAAAA==" + numbers.substr(4), "", "its data end 3 bytes before they should");
  expect_refused("JAAAAA==" + numbers.substr(0, 47) + " ", "", "its base64 data are cut off");
  expect_refused("JAAAAA==" + numbers.substr(0, 20) + "!" + numbers.substr(21), "",
                 "the byte 0x21 in its data is not of base64");
  expect_refused("/////w==" + numbers, "", "its data end");
  expect_refused("IAAAAA==" + numbers, "", "it has 8 numbers; it should have 9");
  expect_refused("", "", "its data end 4 bytes before they should");
  // One block of 0 bytes, and the last one of 36: VTK divides by the size of a block.
  expect_refused("AQAAAAAAAAAkAAAABAAAAA==AAAAAA==", "compressor=\"vtkZLibDataCompressor\"",
                 "the head of its compressed data is damaged");
  // One block of 2^31 - 1 bytes.
  expect_refused("AQAAAP///38AAAAABAAAAA==AAAAAA==", "compressor=\"vtkZLibDataCompressor\"",
                 "the head of its compressed data is damaged");
  expect_refused("AQAAACQAAAAAAAAABAAAAA==AAAAAA==", "compressor=\"vtkZLibDataCompressor\"",
                 "its compressed data are damaged");
  // One block of 37 bytes.
  expect_refused("AQAAACUAAAAAAAAABAAAAA==AAAAAA==", "compressor=\"vtkZLibDataCompressor\"",
                 "it has more than the 36 bytes that it should have");
  expect_refused("JAAAAA==" + numbers, "compressor=\"vtkOtherCompressor\"",
                 "the compressor \"vtkOtherCompressor\" is none of VTK");
}

}  // namespace
}  // namespace kurbel::test
