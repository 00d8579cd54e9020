"""Is it right when an answer says that its evidence does not suffice? Fitting, calibration, and refusals that were right."""
