// Package access checks the bearer token of a request.
//
//	grant.go   rights and databases of a token
//	tokens.go  the token file
//	guard.go   checks of requests, and counters of rejected requests
//
// A token file contains one token per line. A token alone on its line has all rights on all
// databases. Words after the token restrict its rights and databases:
//
//	# agents that write, a dashboard that reads, an operator
//	Zk2mJ8vQ4t  db=metrics,logs  rights=write
//	p0LwXc71Ra  rights=read
//	e5NhYt93Ub  db=team-a-*  rights=read,administer
//	c8VbGf26Sd
//
//	db=NAME,NAME        databases: names, or prefixes that end with *; default: all
//	rights=RIGHT,RIGHT  write: rows in all formats, including Remote Write
//	                    read: tables, columns and schemas; /metrics, and the details of /ready
//	                    administer: flush, drop and alter tables, register and delete schemas
//
// Words are separated by blanks, so a token cannot contain blanks. Empty lines, and lines that
// begin with #, are ignored. If a token appears twice, both lines must define the same rights. An
// error contains the number of the line, but not its text, because the text may contain a secret.
//
// The token is checked before anything else. Without a token, or with an unknown token, the
// response is 401. If the token lacks the right or the database, the response is 403, even if the
// database does not exist.
package access
