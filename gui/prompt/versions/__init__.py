"""Named versions of the prompt: kept in the profile, compared token by token, priced at every model.

``store`` keeps them, ``token_diff`` finds what differs, ``diff_rows`` makes lines of it, ``cost_change`` prices it.
"""
