// Package compat contains no code. It documents the two modules in its subdirectories. They provide
// Slipstream's msgpack under the import paths of the original libraries, for programs whose
// dependencies import the originals.
//
//	vmihailenco   github.com/vmihailenco/msgpack/v5      and its msgpcode
//	basekick      github.com/Basekick-Labs/msgpack/v6    and its msgpcode
//
// The go.mod of a program still requires the original, and also requires Slipstream. A replace
// directive replaces the original by one of these two modules. The Go toolchain requires that the
// replacement's go.mod declares the module path of the original, so these modules do. The Go
// toolchain ignores the replace directives of dependencies, so the directive must be in the
// program's own go.mod.
//
//	require (
//		github.com/slipstream-go/slipstream v0.1.0
//		github.com/vmihailenco/msgpack/v5 v5.4.1
//	)
//
//	replace github.com/vmihailenco/msgpack/v5 => github.com/slipstream-go/slipstream/compat/vmihailenco/v5 v5.4.1
//
// These modules are not listed in go.work. If they were, they would replace the originals in every
// module of this repository, including bench, which measures the originals.
package compat
