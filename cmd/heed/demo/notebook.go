package demo

// The notebooks that fill the well-behaved sites. Each has three entries, so a
// site is four pages unless it says otherwise. They are functions because a
// slice cannot be a constant, and a package variable could be changed.

func lighthouse() topic {
	return topic{
		title: "The lighthouse notebook",
		intro: "Forty-one metres of granite, one lamp, and a logbook that nobody had to keep and somebody always did.",
		entries: []entry{
			{"lamp", "The lamp", "The lens weighs more than the boat that brought it. It floats in a ring of mercury and can be turned with one finger.\n\nTwo flashes every fifteen seconds: that is the name of this place, spoken in light."},
			{"fog", "Fog days", "On fog days the horn takes over and sleep does not. Thirty-one of them last year, most in June, when the sea is colder than the air likes.\n\nGulls walk on such days. They do not trust the sky either."},
			{"stores", "Stores", "Paraffin, flour, tea, wicks, rope, and one crate marked books that always turns out to hold more rope.\n\nThe boat comes on the first calm Tuesday. There are months without a calm Tuesday."},
		},
	}
}

func bakery() topic {
	return topic{
		title: "A bakery before six",
		intro: "Notes from the hours when the street belongs to foxes and bakers.",
		entries: []entry{
			{"starter", "The starter", "Rye and water, fed at noon and at midnight. It is older than the oven and has better manners.\n\nIn summer it runs ahead of the clock; in winter it sleeps on the shelf above the pipes."},
			{"crust", "Crust", "Steam for the first ten minutes, none afterwards. A loaf that sings when it cools has been baked long enough.\n\nPut your ear close: it sounds like very small ice breaking."},
			{"round", "The morning round", "Sixty rolls to the school, two dark loaves to the ferry, one poppy-seed plait to a customer who never gave a name.\n\nBy seven the racks are empty and the day is, strictly speaking, over."},
		},
	}
}

func tides() topic {
	return topic{
		title: "Tide tables, annotated",
		intro: "Twice a day the harbour is a lake, twice a day it is a meadow of mud. This is what was seen in between.",
		entries: []entry{
			{"springs", "Spring tides", "Sun and moon pull along one line and the water climbs the third step of the fish market.\n\nThe cats know the date better than the printed table does."},
			{"neaps", "Neap tides", "Half a moon, half a tide. Boats that came in on Monday will stay until Saturday, whatever was planned.\n\nIt is a good week to paint a hull."},
			{"slack", "Slack water", "For some twenty minutes nothing moves. Then a single straw beside the quay decides on a direction.\n\nEverything else follows it."},
		},
	}
}

func moss() topic {
	return topic{
		title: "A field guide to one wall",
		intro: "North side, nine metres, sandstone. Eleven kinds of moss so far, and one that may be two.",
		entries: []entry{
			{"cushion", "Grey cushion moss", "Round as a sleeping mouse and about as soft. It dries to ash in August and is green again ten minutes after rain.\n\nThe white tips are hairs of glass, there to throw the sunlight back."},
			{"thread", "Silky thread moss", "Grows where the gutter drips. Without the leak it would not be here, so the leak has been left alone.\n\nCombed flat after storms, curled by evening."},
			{"wall", "Wall screw-moss", "Under a lens every capsule wears a twisted cap of thirty-two fine teeth. They open in dry wind and close in damp.\n\nNobody who has seen it leans on the wall again."},
		},
	}
}

func letters() topic {
	return topic{
		title: "Letters to the night train",
		intro: "Found in the post compartment of a sleeper that no longer runs. Names left out, stations kept.",
		entries: []entry{
			{"first", "The first letter", "The lamp above my berth cannot be turned off, so I am writing to whoever designed it.\n\nYou were right, as it turns out. At three in the morning it is a comfort."},
			{"second", "The second letter", "Somewhere after the long bridge the train stopped for no reason, and one could hear frogs.\n\nI have taken this line for eleven years and never knew about the frogs."},
			{"reply", "A reply", "Dear passenger, the stop is for the crew to change, and the frogs are why it takes so long.\n\nNobody likes to be the first to break in."},
		},
	}
}

func bees() topic {
	return topic{
		title: "Roof, four hives",
		intro: "An inventory of what bees bring to the seventh floor of a town that believes it has no flowers.",
		entries: []entry{
			{"lime", "Lime blossom", "For nine days in June the whole avenue hums, and the honey tastes of mint and cut grass.\n\nPedestrians look up and see nothing. They are two streets too low."},
			{"swarm", "The swarm", "It hung from the aerial like a dark coat. The neighbours lost one football match and gained a story.\n\nA box, a sheet, and patience until dusk: they walked in by themselves."},
			{"winter", "Winter cluster", "Ten thousand of them in a ball the size of a melon, taking turns on the outside.\n\nPut a palm on the lid in January: it is warm."},
		},
	}
}
