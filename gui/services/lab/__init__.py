"""The Lab: experiments on tokens, each a card that anybody can change and run. No Qt but for translation."""
