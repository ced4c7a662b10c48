#include "app/commands.hpp"
#include "output/console.hpp"
#include "problem/key_reference.hpp"
#include "problem/key_schema.hpp"

namespace kurbel {

int run_schema(const CommandLine& args) {
  Console::standard().print(args.markdown ? key_reference() : key_schema());
  return 0;
}

}  // namespace kurbel
