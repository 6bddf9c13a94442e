// Package echofault makes recorded answers fail, to test what a program does then: its
// retries, its fallback, the error path of its streams. A [Transport] is in front of a
// recorder:
//
//	rec := echotest.New(t)
//	faulty := echofault.New(t, rec,
//		echofault.FailFirst(2, 429),                   // two refusals, then answers
//		echofault.Cut(3, "llm/anthropic.messages"),    // a stream that breaks off
//	)
//	client := openai.NewClient(option.WithHTTPClient(faulty.Client()))
//
// A request meets one fault at most: the first in the list that selects it and is not used
// up. So the list is a script: FailFirst(1, 500), Cut(3) fails the first request and cuts
// the answer to the second one. For a slow answer that is also cut, put one transport in
// front of another. Each attempt is a request: the retries of an SDK count. A fault that cannot
// strike a request, because its answer is too short, a failure or a miss of the recorder, waits for
// the next one.
//
// Every fault takes selectors. They name the requests that it may strike, as a cassette does: by
// kind and boundary, "llm/openai.chat"; by kind alone, "llm"; or, for a server that is not a known
// model API, by its host, with the port if that is not the usual one, "http/api.example.com". A "*"
// stands for either part. A fault without selectors may
// strike every request.
//
// Faults work in every record mode. Record with the faults in place: then the cassette has as
// many recordings as the program needs. If the transport sends its requests directly to the
// recorder, the cassette has the whole answer, also where Cut or Garble damages it: the
// transport reads such an answer to its end. If the test was recorded without faults, a
// program that retries after Cut or Garble needs the recording twice; see
// [github.com/promptecho/promptecho.AllowRepeats].
//
// A test in which a fault never strikes fails, and says why.
package echofault
