// Package echofault makes recorded answers fail. So a test shows what a program
// does then: its retries, its fallback, the error path of its streams. A
// [Transport] is in front of a recorder:
//
//	rec := echotest.New(t)
//	faulty := echofault.New(t, rec,
//		echofault.FailFirst(2, 429),                // two refusals, then answers
//		echofault.Cut(3, "llm/anthropic.messages"), // a stream that breaks off
//	)
//	client := openai.NewClient(option.WithHTTPClient(faulty.Client()))
//
// What to use:
//
//	a refusal, a server error        FailFirst
//	an answer that comes late        Slow
//	an answer that breaks off        Cut
//	an event that is no JSON         Garble
//	a program in another process     echotest.Through
//
// A request meets one fault at most: the first in the list that selects it and
// is not used up. So the list is a script, in which each attempt of an SDK is a
// request. A fault waits for the next request if it cannot strike: the answer
// is too short, a failure or a miss. A test in which a fault never strikes
// fails, and says why.
//
// Every fault takes selectors, the names of the calls that it may strike, such
// as "llm/openai.chat", "llm" or "http/api.example.com". A fault without
// selectors may strike every request; see [Fault].
//
// Faults work in every record mode. Record with the faults in place: then the
// cassette has as many recordings as the program needs; see [Transport].
// Read on in docs/FAULTS.md.
package echofault
