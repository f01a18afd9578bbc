// Package admission reads and decompresses the bodies of requests, within a memory budget that all
// current requests share.
//
//	budget.go    the budget, and the share of it that one client may use
//	buffer.go    reusable memory that is charged to the budget
//	body.go      the body of a request, as it arrives
//	compress.go  decompression
//
// Every request begins with a [Hold] on the budget. Received bytes are charged when they have
// arrived; the length in a header is not charged. Memory for decompressed bytes is charged before
// it is allocated. A body never uses more memory than twice its limit. If the budget is used up, or
// if the client has reached its limit, reading or decompressing the body returns a [BudgetError].
// The client should then send the request again later. [Hold.Release] returns all bytes of a
// request to the budget.
//
// The requests of one client can use at most half of the memory that all other requests leave free.
// So one client can never use the whole budget. A client is identified by its address.
package admission
