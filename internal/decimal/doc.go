// Package decimal turns binary floating-point numbers and integers into decimal text and back:
// exactly, and fast.
//
//	append.go      Append… and Put…: numbers as text
//	digits.go      whole numbers into digits, eight at a time
//	shortest.go    floats into the fewest digits that tell them from their neighbours
//	careful.go     the same on a slower road, for the few that shortest.go cannot decide
//	layout.go      digits and a point as text
//	eisel.go       digits and a power of ten into the nearest float
//	parse.go       the text of a number into a float
//	powers.go      what the table of powers of ten holds; the table itself is in powers_gen.go
//
// The text of floats is that of the running encoding/json. The Put functions write into a slice at
// an offset, whatever its length: the caller has made sure that IntRoom or FloatRoom bytes lie
// between the offset and the capacity. They may scribble on all of that room, not only on what they
// return as written. Nothing is allocated, save by an Append function that has less room, and for
// the error that strconv makes of an out-of-range number of more than 19 digits.
//
// Floats are turned into text after Raffaello Giulietti, "The Schubfach way to render doubles"
// (2022), and with one multiplication in place of his three after Junekey Jeon, "Dragonbox: A New
// Floating-Point Binary-to-Decimal Conversion Algorithm" (2024). Text is turned into floats after
// Daniel Lemire, "Number Parsing at a Gigabyte per Second", Software: Practice and Experience 51
// (2021), and Noble Mushtak and Daniel Lemire, "Fast Number Parsing Without Fallback", Software:
// Practice and Experience 53 (2023). All of them work with products of up to 64 bits and the first
// 128 bits of a power of ten. That these bits are enough is shown by the tests, which compute for
// each power how near a product may come to a point where the outcome changes (proof_test.go).
package decimal
