// Package compat stands for two modules beside it: Slipstream's msgpack under the import paths of
// the originals, for programs whose dependencies import those.
//
//	vmihailenco   github.com/vmihailenco/msgpack/v5      and its msgpcode
//	basekick      github.com/Basekick-Labs/msgpack/v6    and its msgpcode
//
// The go.mod of a program names the original as before, names Slipstream, and replaces the one by
// the other. A replacement must bear the name of what it replaces, which is why these modules do;
// and the replace directives of a dependency do not count, which is why they stand in the program's
// own go.mod.
//
//	require (
//		github.com/slipstream-go/slipstream v0.1.0
//		github.com/vmihailenco/msgpack/v5 v5.4.1
//	)
//
//	replace github.com/vmihailenco/msgpack/v5 => github.com/slipstream-go/slipstream/compat/vmihailenco/v5 v5.4.1
//
// They are in no go.work: there they would replace the originals for every module of this
// repository, also for bench, which compares with the originals.
package compat
