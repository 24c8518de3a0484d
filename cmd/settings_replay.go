package cmd

// replaySettings are the settings that only replay knows.
func replaySettings() []setting {
	return []setting{
		{key: "replay.loss_spans", flag: "loss-spans", toggle: true, named: true, def: "false",
			about: "say in each segment which messages are new in it (loss_spans), so that nothing is trained twice",
			set:   toggle(func(s *Settings) *bool { return &s.LossSpans })},
		{key: "replay.pressure_warning", flag: "pressure-warning", toggle: true, named: true, def: "false",
			about: "note when the window reaches 85 % of the threshold, as older versions of Hermes warned their models",
			set:   toggle(func(s *Settings) *bool { return &s.PressureWarning })},
	}
}
