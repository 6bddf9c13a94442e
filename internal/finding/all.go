package finding

// All returns every code, in the order of the constants.
func All() []Code {
	return []Code{
		RequestChanged, OrderDiffers, ModelChanged, EndpointChanged, FramingChanged,
		AskedMoreOften, RecordingTaken, NotRecorded, CassetteAbsent, CassetteEmpty,
		CassetteLeftOver, RequestBroken, FollowsMiss, SessionLonger, SessionWaits,
		Telemetry,

		RecordingUnused, SessionUnreadable,
		SessionUnfinished, NoRequest, ValueLacking, RecordingConflict, ServersAmbiguous,
		FieldAmbiguous, BodyUnfinished, NotCanceled, NoRoom, KeyMissing,
		PlaceholderSent, Unsendable, ProtocolSwitched, NameInvalid, VariableSecret,
		FunctionRefused, FailureRefused, SuccessKept, AccessLost, AccessRefused,
		RecordingsOutdated, NoAnswer, TooLate, NotSaved, LeftoverNotRemoved, NotSent,
		OutcomeNotWritten, CassetteUnreadable, AnswerDrifted, NothingComparable,
		BudgetUsed, QuotaExhausted, PriceUnknown, QuotaLost, OptionWithoutEffect, RunFailed,

		SecretInFile, SecretLearned, SecretKnownLate, VariableDiffers, ConflictHealed,
		ModeLowered, Edited, CutOff, JournalRemoved, Resumed, CanceledSkipped, RetrySkipped, FieldIgnored,
		ValueVolatile, FailureSaved, FailureInFailedRun, FailureReplayed, NothingRecorded,
		OldKept, SetAside, Dropped, Saved, AcceptedPlayed, AnswerDelayed, FilesNotRecorded,
		OrderAmbiguous,
		HeadersWithheld, PassedThrough, AnswerCut, ProgramWaits, Compared, NotPassedOn,

		WordsReordered, ParallelOrder, RecordedParallel,

		DataRace, ProgramPanics, TestFails,

		RecordingPartial, JournalLeft, FailedLeft, DerivedLeft, NamesDifferInCase, ChecksumsOutdated,
		RequestAccepted, RecordedFromFake, RecordingOld, AgeUnknown, ModelRetires, TestGone,
		TestHasSubtests, TestHasNoSubtests, RecordingLeftOver,
		SnapshotUnreadable, SnapshotNew, SnapshotDiffers, SnapshotStale, RecordingAdded,
		RecordingRemoved, RecordingChanged, NoRecorder, HookUnfit, AnswerCanceled,
		AnswerBroken, PackageFailed, FileIgnored, FileNotAdded, LineEndsChanged,
		PathTooLong, VersionOlder,

		FormatUnknown, PathTaken, FileExists, AnswerMissing, RequestMissing, NotWrappable,

		EditAmbiguous, EditTooLarge, QuestionChanged, AnswerFailed, AnswerHasID, SessionEdited, ToolGone,
		EditDeclined, WritingForbidden,

		RequestStopped, TestUnfit, TestRunning, CassetteUnopened, RequestsCounted,
		ControlRefused,
		CertificateRefused, SecretMissing,
	}
}
