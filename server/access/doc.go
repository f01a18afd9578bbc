// Package access decides what a request may do, by its bearer token.
//
//	grant.go   rights, databases, and what a token grants
//	tokens.go  the file of tokens
//	guard.go   requests are admitted or refused, and refusals are counted
//
// A file of tokens has one token on each line. A token alone has all rights on all databases; words after it grant less:
//
//	# agents that write, a dashboard that looks, somebody on call
//	Zk2mJ8vQ4t  db=metrics,logs  rights=write
//	p0LwXc71Ra  rights=read
//	e5NhYt93Ub  db=team-a-*  rights=read,administer
//	c8VbGf26Sd
//
//	db=NAME,NAME        databases: exact names, or with a * at the end all that begin so; default: all
//	rights=RIGHT,RIGHT  write: rows, by every format, Remote Write included
//	                    read: tables, columns and schemas; /metrics, and the details of /ready
//	                    administer: flush, drop and alter tables, register and delete schemas
//
// Blanks divide the words, so a token has none. Empty lines, and those that begin with #, mean nothing. A token that is there twice
// must grant the same both times. An error names the line, and never quotes it: any word of it may be a secret.
//
// The check comes before anything else of a request: one that is refused costs what a request without a token costs. No token, or an
// unknown one: 401. A token without the right or the database: 403, whether there is such a database or not.
package access
