package migrate

import (
	"go/ast"
	"go/token"
)

// The notes below depend only on names. Types are not checked, because it is possible that a file
// does not compile yet, or does not compile on this machine. So a note may refer to another
// library's method with the same name.

// renamed lists the methods and functions of versions before v5 whose name or signature has
// changed.
var renamed = map[string]string{
	"DecodeMap":               "DecodeMap returns a map[string]any since v5; DecodeTypedMap and DecodeUntypedMap take maps with other keys",
	"DecodeSliceLen":          "DecodeSliceLen is DecodeArrayLen since v3",
	"EncodeSliceLen":          "EncodeSliceLen is EncodeArrayLen since v3",
	"PeekCode":                "PeekCode returns a byte since v5",
	"RegisterExt":             "RegisterExt takes a MarshalerUnmarshaler since v5; RegisterExtEncoder and RegisterExtDecoder take functions",
	"SetDecodeMapFunc":        "SetDecodeMapFunc is SetMapDecoder since v5",
	"SortMapKeys":             "SortMapKeys is SetSortMapKeys since v5",
	"StructAsArray":           "StructAsArray is UseArrayEncodedStructs since v5, and returns nothing",
	"UseCompactEncoding":      "UseCompactEncoding is UseCompactInts since v5, and returns nothing",
	"UseDecodeInterfaceLoose": "UseDecodeInterfaceLoose is UseLooseInterfaceDecoding since v5, and returns nothing",
	"UseJSONTag":              `UseJSONTag(true) is SetCustomStructTag("json") since v5`,
}

// changed lists the functions and methods of versions before v5 whose number of arguments has
// changed. The text applies to calls with the given number of arguments, or with at least this
// number if atLeast is set.
var changed = map[string]struct {
	arguments int
	atLeast   bool
	text      string
}{
	"Marshal":               {2, true, "Marshal takes one value since v4; Encoder.EncodeMulti takes several"},
	"Unmarshal":             {3, true, "Unmarshal takes one value since v4; Decoder.DecodeMulti takes several"},
	"Encode":                {2, true, "Encode takes one value since v4; EncodeMulti takes several"},
	"Decode":                {2, true, "Decode takes one value since v4; DecodeMulti takes several"},
	"DisallowUnknownFields": {0, false, "DisallowUnknownFields takes a bool since v5"},
	"Reset":                 {1, false, "Reset of an Encoder or Decoder resets its options since v5: set them after Reset"},
}

// different lists the methods of v5 that behave differently in Slipstream.
var different = map[string]string{
	"DecodeTypedMap":       "DecodeTypedMap returns a map with values of type any in Slipstream; v5 uses the type of the first value",
	"UsePreallocateValues": "UsePreallocateValues has no effect in Slipstream",
}

// notes returns a note for each place in a file that may not work as before. The map `names`
// contains the imported originals by their names in the file.
func notes(file *ast.File, at positions, names map[string]origin) []note {
	old, vmihailenco := false, false
	for _, from := range names {
		old = old || from.old()
		vmihailenco = vmihailenco || from.major != 6
	}
	var all []note
	add := func(where ast.Node, text string) { all = append(all, note{at.line(where.Pos()), text}) }
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && n.Sel.Name == "Code" && names[x.Name].inner == "codes" {
				add(n, x.Name+".Code is byte since v5")
			}
			if text := renamed[n.Sel.Name]; text != "" && old {
				add(n.Sel, text)
			}
			if text := different[n.Sel.Name]; text != "" && vmihailenco {
				add(n.Sel, text)
			}
		case *ast.CallExpr:
			f, ok := n.Fun.(*ast.SelectorExpr)
			if !ok || !old {
				break
			}
			if c := changed[f.Sel.Name]; c.text != "" && (len(n.Args) == c.arguments || c.atLeast && len(n.Args) > c.arguments) {
				add(f.Sel, c.text)
			}
		case *ast.BinaryExpr:
			if (n.Op == token.EQL || n.Op == token.NEQ) && (isEOF(n.X) || isEOF(n.Y)) {
				add(n, "the error for input that ends inside a value wraps io.EOF or io.ErrUnexpectedEOF; use errors.Is to detect it")
			}
		}
		return true
	})
	return all
}

func isEOF(x ast.Expr) bool {
	s, ok := x.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != "EOF" && s.Sel.Name != "ErrUnexpectedEOF" {
		return false
	}
	pkg, ok := s.X.(*ast.Ident)
	return ok && pkg.Name == "io"
}
