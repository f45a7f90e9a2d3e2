"""Where `gpu_offline.py` looks for spills: in the loops over tiles, which it finds in the code."""

import gpu_offline

CODE = """
        STL [R1], R2 ;
.L_x_1:
        LDL R2, [R1] ;
.L_x_2:
        HGMMA.64x64x16.F32 R24, R4, gdesc[UR8], R24 ;
{inner}
        @P0 BRA `(.L_x_2) ;
        LDL R3, [R1+0x4] ;
        @P1 BRA `(.L_x_1) ;
.L_x_3:
        LDL R4, [R1+0x8] ;
        @P2 BRA `(.L_x_3) ;
        @P3 BRA `(.L_x_4) ;
.L_x_4:
        EXIT ;
"""


def test_a_spill_counts_in_an_inner_loop_with_products() -> None:
    assert gpu_offline.hot(CODE.format(inner="        FADD R1, R2, R3 ;")) == 0
    assert gpu_offline.hot(CODE.format(inner="        LDL R5, [R1] ;\n        STL [R1], R5 ;")) == 2
