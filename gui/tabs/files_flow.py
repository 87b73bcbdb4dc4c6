"""What happens in the tab for files: counts, prices, proposals, changes on the disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from gui.models.file_choice import FileChoice
from gui.services.file_prices import FilePrices
from gui.services.folder_fit import FitRequest, FolderFit
from gui.services.folder_scan import FolderScan, ScannedFolder, ScanRequest
from gui.tabs.folder_watch import FolderWatch

if TYPE_CHECKING:
    from pathlib import Path

    from gui.costs.cost_controller import CostWiring
    from gui.models.file_choice import Proposal
    from gui.panels.files_panel import FilesPanel

MOST_MODELS = 4
DELAY_MS = 80
"""Changes of the cost table that come faster than this are shown together."""


class FilesFlow(QObject):
    """Stands between the panel and the services.

    Signals: ``file_opened(Path)``: a file is wanted in the editor.
    """

    file_opened = Signal(object)

    def __init__(
        self,
        panel: FilesPanel,
        scan: FolderScan,
        fit: FolderFit,
        costs: CostWiring,
        encoding: str,
        parent: QObject | None = None,
    ) -> None:
        """``encoding``: what is counted in, until ``set_encoding``."""
        super().__init__(parent)
        self._panel, self._scan, self._fit, self._costs, self._encoding = panel, scan, fit, costs.panel, encoding
        self._reference = costs.reference
        self._watch = FolderWatch(self)
        self.shown: ScannedFolder | None = None
        self._asked: tuple[Path, ...] = ()
        self._missed = self._failed = False
        self._delay = QTimer(self, singleShot=True, interval=DELAY_MS)
        self._delay.timeout.connect(self._price)
        costs.panel.model.arranged.connect(self._touch)
        costs.panel.scenario.changed.connect(self._touch)
        costs.reference_changed.connect(self._touch)
        panel.scan_asked.connect(self.count)
        panel.stop_asked.connect(scan.stop)
        panel.folder.paths_changed.connect(self._show_counted)
        panel.file_opened.connect(self._on_file_opened)
        panel.model.chosen.connect(self._on_chosen)
        panel.tools.fit_asked.connect(self._propose)
        panel.tools.least_changed.connect(self._show_total)
        panel.proposal.taken.connect(self._on_taken)
        panel.proposal.left.connect(fit.withdraw)
        scan.scanned.connect(self._on_scanned)
        scan.failed.connect(self._on_failed)
        scan.stopped.connect(self._on_stopped)
        scan.progressed.connect(self._on_progressed)
        scan.busy_changed.connect(self._on_busy)
        fit.proposed.connect(self._on_proposed)
        fit.failed.connect(self._on_not_proposed)
        self._watch.changed.connect(self._count_again)
        self._watch.watching.connect(self._show_watching)
        self._price()

    @property
    def prices(self) -> FilePrices | None:
        """The models that are shown, with their prices."""
        return self._panel.model.prices

    @property
    def busy(self) -> bool:
        """Whether a folder is being counted."""
        return self._scan.busy

    @property
    def current(self) -> bool:
        """True if the results shown are those of the folder that the field names, as far as is known."""
        return self.shown is not None and not self._failed and self._named

    @property
    def _named(self) -> bool:
        return self.shown is not None and self._panel.folder.paths() == self.shown.request.roots

    @Slot(str)
    def set_encoding(self, name: str) -> None:
        """Count in another encoding."""
        if name != self._encoding:
            self._encoding = name
            if self.shown is not None and not self._named and not self._scan.busy:
                self._submit(self.shown.request.roots, quiet=True)  # nobody asked for what the field names now
            elif self.shown is not None or self._scan.busy:
                self.count()

    @Slot()
    def count(self) -> None:
        """Count what the field names."""
        paths = self._panel.folder.paths()
        if not paths:
            self._panel.remark.say(self.tr("Choose a folder first."), "warning")
            return
        self._submit(paths, quiet=False)

    @Slot()
    def look_again(self) -> None:
        """Count what has changed, where not everything is watched."""
        if self._watch.unwatched:
            self._count_again()

    @Slot()
    def _count_again(self) -> None:
        self._missed = self._scan.busy
        if self.shown is not None and not self._missed:
            self._submit(self.shown.request.roots, quiet=True)

    @Slot(bool)
    def _on_busy(self, busy: bool) -> None:
        self._panel.set_busy(busy)
        if self._missed and not busy:
            self._count_again()  # it may have changed behind the scan's back

    def _submit(self, paths: tuple[Path, ...], *, quiet: bool) -> None:
        self._asked = paths
        names = (self._encoding, *self._other_encodings())
        self._scan.scan(ScanRequest(paths, names, self._panel.rules(), quiet, self.shown if quiet else None))
        if not quiet:
            self._panel.remark.say(self.tr("Looking through the folder…"))

    def _other_encodings(self) -> list[str]:
        """What the models shown are counted with, beside the encoding in use."""
        prices = self.prices
        names = [prices.encoding_of(model) for model in range(len(prices.models))] if prices is not None else []
        return sorted({name for name in names if name} - {self._encoding})

    # --- what a scan says ---------------------------------------------------------------------------------------------

    @Slot(str)
    def _on_progressed(self, note: str) -> None:
        if note and self._panel.remark.isVisibleTo(self._panel):
            self._panel.remark.say(self.tr("Counting: {note}").format(note=note))

    @Slot(str)
    def _on_failed(self, why: str) -> None:
        self._failed = self.shown is not None and self._asked == self.shown.request.roots
        self._panel.remark.say(why, "warning")
        self._show_counted()

    @Slot()
    def _on_stopped(self) -> None:
        self._panel.remark.say(self.tr("Stopped. What was counted so far is not shown."), "warning")

    @Slot(object)
    def _on_scanned(self, scanned: ScannedFolder) -> None:
        panel, before = self._panel, self.shown
        self._watch.watch(scanned.tree)
        self._failed = False
        if scanned is before:
            self._show_counted()
            return  # nothing has changed
        choice = FileChoice(scanned.tree)
        if before is not None and panel.model.choice is not None and before.request.roots == scanned.request.roots:
            choice.take_over(panel.model.choice)
        self.shown = scanned
        if not scanned.request.quiet:
            self._fit.withdraw()
            panel.proposal.withdraw()
        panel.model.show(choice)
        self._propose_anew()
        panel.open_again()
        panel.show_left_out(scanned.left_out)
        self._show_counted()
        if self._named or not scanned.request.quiet:
            self._say(scanned)
        if panel.folder.field.hasFocus() and not scanned.request.quiet:
            panel.tree.setFocus()
        self._show_total()
        if set(self._other_encodings()) - set(scanned.tree.encodings):
            self._submit(scanned.request.roots, quiet=True)  # another model was chosen meanwhile

    def _say(self, scanned: ScannedFolder) -> None:
        panel = self._panel
        if not scanned.tree.paths:
            left_out = len(scanned.left_out.skipped)
            words = self.tr("There is no text to count; {n} left out.") if left_out else self.tr("The folder is empty.")
            panel.remark.say(words.format(n=panel.text.number(left_out)), "warning")
        else:
            panel.remark.say(scanned.problem, "warning" if scanned.problem else "")

    @Slot()
    def _show_counted(self) -> None:
        """Say which folder the results are of, and keep them from being used as those of another."""
        if self.shown is None:
            return
        folders = ", ".join(map(str, self.shown.request.roots))
        if self.current:
            words = self.tr("Results for {folders}")
        elif self._named:
            words = self.tr("The results below are from an earlier count of {folders}. The last count failed.")
        elif self._panel.folder.paths():
            words = self.tr("The results below are for {folders}. Press Count to count the folder named above.")
        else:
            words = self.tr("The results below are for {folders}. No folder is named above.")
        self._panel.show_counted(words.format(folders=folders), current=self.current)

    @Slot()
    def _show_watching(self) -> None:
        unwatched = self._watch.unwatched
        if unwatched == 1:
            words = self.tr(
                "Not everything can be watched for changes: "
                "1 file or folder is looked at when you come back to this window, or press Count."
            )
        else:
            words = self.tr(
                "Not everything can be watched for changes: "
                "{n} files and folders are looked at when you come back to this window, or press Count."
            )
        self._panel.watching.say(words.format(n=self._panel.text.number(unwatched)) if unwatched else "")

    # --- prices and sums ----------------------------------------------------------------------------------------------

    @Slot()
    def _touch(self) -> None:
        if not self._delay.isActive():
            self._delay.start()

    @Slot()
    def _price(self) -> None:
        table = self._costs.model
        chosen = self._reference.rows_beside(table.rows, table.arrangement, MOST_MODELS)
        prices = FilePrices([row.model for row in chosen], self._costs.scenario.scenario())
        before = self.prices
        if before is not None and before.models == prices.models and before.scenario == prices.scenario:
            return
        self._panel.model.set_prices(prices, table.view.text)
        self._panel.open_again()
        self._show_total()
        if self.shown is not None and set(self._other_encodings()) - set(self.shown.tree.encodings):
            self._count_again()

    @Slot()
    def _show_total(self) -> None:
        panel, choice, prices = self._panel, self._panel.model.choice, self.prices
        if choice is None or prices is None:
            panel.total.setText(self.tr("Nothing counted yet."))
            return
        sums, write = choice.sums(), panel.text
        parts = [
            self.tr("Checked: {files} of {all} files").format(
                files=write.number(sums.files), all=write.number(len(choice.tree.paths))
            ),
            write.size(sums.file_bytes),
            self.tr("{tokens} tokens in {encoding}").format(
                tokens=write.number(sums.tokens[0]), encoding=choice.tree.encodings[0]
            ),
        ]
        counts = dict(zip(choice.tree.encodings, sums.tokens, strict=True))
        money = self._costs.model.view.text
        for index, model in enumerate(prices.models):
            price = prices.price(index, counts)
            usd = money.usd(price.usd_label, price.usd, price.usd_low, price.usd_high)
            parts.append(self.tr("{model} {usd}").format(model=model.name, usd=usd))
        hidden = panel.model.hidden_files
        if hidden:
            parts.append(self.tr("{n} small files not shown").format(n=write.number(hidden)))
        panel.total.setText("  ·  ".join(parts))

    # --- what fits ----------------------------------------------------------------------------------------------------

    @Slot()
    def _propose(self) -> None:
        if self.current:
            self._ask_what_fits(quiet=False)

    def _ask_what_fits(self, *, quiet: bool) -> None:
        choice, tools = self._panel.model.choice, self._panel.tools
        if choice is not None:
            limit, way = tools.limit.value(), tools.way.currentData()
            self._fit.ask(FitRequest(choice.tree, choice.checked.copy(), limit, way, quiet))

    def _propose_anew(self) -> None:
        """The files are others than a proposal was made for."""
        if self._fit.waited_for or self._panel.proposal.there:
            self._panel.proposal.outdate()
            self._ask_what_fits(quiet=not self._fit.asked_for)

    @Slot()
    def _on_chosen(self) -> None:
        self._propose_anew()
        self._show_total()

    @Slot(object, object)
    def _on_proposed(self, request: FitRequest, proposal: Proposal) -> None:
        self._panel.proposal.propose(request.tree, proposal)
        if not request.quiet:
            self._panel.proposal.take_focus()

    @Slot(str)
    def _on_not_proposed(self, why: str) -> None:
        self._panel.proposal.withdraw()
        self._panel.remark.say(why, "warning")

    @Slot(object)
    def _on_taken(self, proposal: Proposal) -> None:
        self._panel.model.check(proposal.nodes, False)
        self._panel.tree.setFocus()

    @Slot(int)
    def _on_file_opened(self, node: int) -> None:
        tree = self._panel.model.tree
        if tree is not None:
            self.file_opened.emit(tree.path_of(node))
