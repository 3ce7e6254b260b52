/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of files, between NAME and NAME_end. Files that follow each other under one name are one text. */
    .macro begin name
    .global \name
\name:
    .endm
    .macro end name
    .global \name\()_end
\name\()_end:
    .endm

    .section .rodata
    begin sosia_page_template
    .incbin "page.html"
    end sosia_page_template

    begin sosia_page_style
    .incbin "style.css"
    end sosia_page_style

    begin sosia_page_scripts
    .incbin "base.js"
    .incbin "guarantee.js"
    .incbin "profile.js"
    .incbin "scores.js"
    .incbin "columns.js"
    .incbin "pairs.js"
    .incbin "points.js"
    .incbin "images.js"
    .incbin "compare.js"
    .incbin "main.js"
    end sosia_page_scripts

    begin sosia_chart_library
    .incbin "d3/dist/d3.min.js"
    .incbin "@observablehq/plot/dist/plot.umd.min.js"
    end sosia_chart_library

    begin sosia_chart_licences
    .incbin "d3/LICENSE"
    .incbin "@observablehq/plot/LICENSE"
    end sosia_chart_licences

    .section .note.GNU-stack,"",%progbits
