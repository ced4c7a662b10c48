/// @file
/// A beam with two modes and two nodes as SID_FEM text, for tests.
#pragma once

#include <string>

namespace kurbel {

/// Two masses of 1 kg at x = 1 m and x = 2 m on a beam along x that is clamped at 0, two shapes: the first
/// bends along y by (1, 2), the second along z by (1, 3). Written by hand as FEMBS writes: indices
/// (row, q, column), Gr and Ge direction by direction, J as six numbers, zeros left out, exponent letter D.
inline const std::string beam_text = R"(    2    2    :No. nodes, No. modes:S
 part
      new modal                                 =
           refmod
                mass                            = 2.0000D+00
                nelastq                         =   2
                ielastq (   1)                  =Eigen Mode    1 :        1.592 Hz
                ielastq (   2)                  =Eigen Mode    2 :        3.183 Hz
           end refmod
           frame
                new node                        =        1
                     rframe                     = body ref
                     origin
                          order                 =   0
                          nrow                  =   3
                          ncol                  =   1
                          nq                    =   2
                          nqn                   =   0
                          structure             =   0
                     end origin
                     phi
                          order                 =   1
                          nrow                  =   3
                          ncol                  =   2
                          nq                    =   2
                          nqn                   =   0
                          structure             =   0
                     end phi
                     psi
                          order                 =   0
                          nrow                  =   3
                          ncol                  =   2
                          nq                    =   2
                          nqn                   =   0
                          structure             =   0
                     end psi
                     AP
                          order                 =   1
                          nrow                  =   3
                          ncol                  =   3
                          nq                    =   2
                          nqn                   =   0
                          structure             =   4
                     end AP
                end node
                new node                        =       12
                     rframe                     = body ref
                     origin
                          order                 =   1
                          nrow                  =   3
                          ncol                  =   1
                          nq                    =   2
                          nqn                   =   0
                          structure             =   3
                          m0( 1, 1)             = 2.00000000000D+00
                          m1( 2, 1, 1)          = 2.00000000000D+00
                          m1( 3, 2, 1)          = 3.00000000000D+00
                     end origin
                     phi
                          order                 =   0
                          nrow                  =   3
                          ncol                  =   2
                          nq                    =   2
                          nqn                   =   0
                          structure             =   3
                          m0( 2, 1)             = 2.00000000000D+00
                          m0( 3, 2)             = 3.00000000000D+00
                     end phi
                     psi
                          order                 =   0
                          nrow                  =   3
                          ncol                  =   2
                          nq                    =   2
                          nqn                   =   0
                          structure             =   3
                          m0( 3, 1)             = 1.00000000000D+00
                          m0( 2, 2)             =-2.00000000000D+00
                     end psi
                     AP
                          order                 =   1
                          nrow                  =   3
                          ncol                  =   3
                          nq                    =   2
                          nqn                   =   0
                          structure             =   3
                          m0( 1, 1)             = 1.00000000000D+00
                          m0( 2, 2)             = 1.00000000000D+00
                          m0( 3, 3)             = 1.00000000000D+00
                          m1( 2, 1, 1)          = 1.00000000000D+00
                          m1( 3, 2, 1)          = 2.00000000000D+00
                          m1( 1, 1, 2)          =-1.00000000000D+00
                          m1( 1, 2, 3)          =-2.00000000000D+00
                     end AP
                end node
           end frame
           mdCM
                          order                 =   1
                          nrow                  =   3
                          ncol                  =   1
                          nq                    =   2
                          nqn                   =   0
                          structure             =   3
                          m0( 1, 1)             = 3.00000000000D+00
                          m1( 2, 1, 1)          = 3.00000000000D+00
                          m1( 3, 2, 1)          = 4.00000000000D+00
           end mdCM
           J
                          order                 =   1
                          nrow                  =   6
                          ncol                  =   1
                          nq                    =   2
                          nqn                   =   0
                          structure             =   3
                          m0( 2, 1)             = 5.00000000000D+00
                          m0( 3, 1)             = 5.00000000000D+00
                          m1( 4, 1, 1)          =-5.00000000000D+00
                          m1( 5, 2, 1)          =-7.00000000000D+00
           end J
           Ct
                          order                 =   0
                          nrow                  =   2
                          ncol                  =   3
                          nq                    =   2
                          nqn                   =   0
                          structure             =   3
                          m0( 1, 2)             = 3.00000000000D+00
                          m0( 2, 3)             = 4.00000000000D+00
           end Ct
           Cr
                          order                 =   1
                          nrow                  =   2
                          ncol                  =   3
                          nq                    =   2
                          nqn                   =   0
                          structure             =   3
                          m0( 1, 3)             = 5.00000000000D+00
                          m0( 2, 2)             =-7.00000000000D+00
                          m1( 2, 1, 1)          = 7.00000000000D+00
                          m1( 1, 2, 1)          =-7.00000000000D+00
           end Cr
           Me
                          order                 =   0
                          nrow                  =   2
                          ncol                  =   2
                          nq                    =   0
                          nqn                   =   0
                          structure             =   1
                          m0( 1, 1)             = 5.00000000000D+00
                          m0( 2, 2)             = 1.00000000000D+01
           end Me
           Gr
                          order                 =   0
                          nrow                  =   3
                          ncol                  =   6
                          nq                    =   2
                          nqn                   =   0
                          structure             =   3
                          m0( 2, 1)             =-1.00000000000D+01
                          m0( 3, 2)             =-1.40000000000D+01
           end Gr
           Ge
                          order                 =   0
                          nrow                  =   2
                          ncol                  =   6
                          nq                    =   2
                          nqn                   =   0
                          structure             =   3
                          m0( 1, 2)             =-1.40000000000D+01
                          m0( 2, 1)             = 1.40000000000D+01
           end Ge
           Oe
                          order                 =   1
                          nrow                  =   2
                          ncol                  =   6
                          nq                    =   2
                          nqn                   =   0
                          structure             =   3
                          m0( 1, 4)             = 5.00000000000D+00
                          m0( 2, 6)             = 7.00000000000D+00
                          m1( 1, 1, 1)          =-5.00000000000D+00
                          m1( 1, 1, 3)          =-5.00000000000D+00
                          m1( 1, 2, 5)          = 7.00000000000D+00
                          m1( 2, 1, 5)          = 7.00000000000D+00
                          m1( 2, 2, 1)          =-1.00000000000D+01
                          m1( 2, 2, 2)          =-1.00000000000D+01
           end Oe
           ksigma
                          order                 =   0
                          nrow                  =   2
                          ncol                  =   1
                          nq                    =   2
                          nqn                   =   0
                          structure             =   0
           end ksigma
           Ke
                          order                 =   0
                          nrow                  =   2
                          ncol                  =   2
                          nq                    =   2
                          nqn                   =   0
                          structure             =   2
                          m0( 1, 1)             = 5.00000000000D+02
                          m0( 2, 1)             = 1.00000000000D+00
                          m0( 2, 2)             = 4.00000000000D+03
           end Ke
           De
                          order                 =   0
                          nrow                  =   2
                          ncol                  =   2
                          nq                    =   2
                          nqn                   =   0
                          structure             =   0
           end De
      end modal
 end part
)";

}  // namespace kurbel
