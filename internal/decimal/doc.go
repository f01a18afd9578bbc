// Package decimal converts binary floating-point numbers and integers to decimal text and back,
// exactly and fast.
//
//	append.go      Append… and Put…: numbers as text
//	digits.go      whole numbers to digits, eight at a time
//	shortest.go    floats to the fewest digits that distinguish them from their neighbours
//	careful.go     the same, but slower, for the few floats that shortest.go cannot handle
//	layout.go      digits and a point as text
//	eisel.go       digits and a power of ten to the nearest float
//	parse.go       the text of a number to a float
//	powers.go      the type and the range of the table of powers of ten, which is in powers_gen.go
//
// The text of a float is the same as in the output of encoding/json in the running version of Go.
// The Put functions write into a slice at an offset, regardless of the slice's length. The caller
// must ensure that IntRoom or FloatRoom bytes lie between the offset and the capacity. A Put
// function may overwrite all of these bytes, not only the bytes of the number. Memory is allocated
// in only two cases. An Append function allocates if its slice has less capacity. A parse function
// allocates if a number with more than 19 digits is out of range, because strconv then creates an
// error.
//
// The conversion of floats to text follows Raffaello Giulietti, "The Schubfach way to render
// doubles" (2022). Giulietti's algorithm needs three multiplications. This package needs one, as in
// the algorithm of Junekey Jeon, "Dragonbox: A New Floating-Point Binary-to-Decimal Conversion
// Algorithm" (2024). The conversion of text to floats follows Daniel Lemire, "Number Parsing at a
// Gigabyte per Second", Software: Practice and Experience 51 (2021), and Noble Mushtak and Daniel
// Lemire, "Fast Number Parsing Without Fallback", Software: Practice and Experience 53 (2023).
//
// All of these algorithms multiply a number of up to 64 bits by the first 128 bits of a power of
// ten. The tests show that 128 bits are enough: for each power, they compute the minimum distance
// between a product and a number at which the result changes (proof_test.go).
package decimal
