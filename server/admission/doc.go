// Package admission takes the bodies of requests in: it reads and decompresses them, within a
// budget of memory that all current requests share.
//
//	budget.go    the budget, and the share of it that one client may use
//	buffer.go    reusable memory that is charged to the budget
//	body.go      the body of a request, as it arrives
//	compress.go  decompression
//
// Every request begins with a [Hold] on the budget. Memory is charged when bytes have arrived, and
// not for a length that a header announces. Decompressed bytes are charged before the memory is
// allocated, and a body never takes more than twice the memory that its limit allows. When the
// budget is used up, or the share of the client, a read or a decompression fails with a
// [BudgetError], and the client should send the request again later. [Hold.Release] returns all
// bytes of a request.
//
// Fairness: each client leaves as much of the budget free as its own requests use, so that one
// client can never use the memory of all. Clients are told apart by their addresses.
package admission
