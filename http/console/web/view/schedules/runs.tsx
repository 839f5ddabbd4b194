/** Next runs on the schedule's own wall clock; where that clock is put forward or back in between, it is said. */
import { timeText } from '../../day.ts'
import { offsetOf, offsetText, wallOf, wallText } from '../../zone.ts'
import type { Column } from '../../part/list/column.tsx'
import { Table } from '../../part/table.tsx'
import { actionText, type Runs as Known } from './labels.ts'

type Run = Known[number] & { shift: string; gap: string }

const minuteMs = 60_000

/** Where the clock is put forward at this very moment: what was to be within the hour that is not there is now. */
function gapOf(at: string, zone: string): string {
  const before = new Date(Date.parse(at) - minuteMs).toISOString()
  if (!(offsetOf(at, zone) > offsetOf(before, zone))) return ''
  const [from, to] = [before, at].map((time) => wallOf(time, zone).slice(11))
  return `clocks change from ${from} to ${to}: times in between run at ${to} on this day`
}

/** Each run with what the clock did since the one before. */
const shiftsOf = (runs: Known, zone: string): Run[] =>
  runs.map((run, at) => {
    const before = runs[at - 1]
    const moved = before ? offsetOf(run.at, zone) - offsetOf(before.at, zone) : 0
    const shift = moved === 0 || Number.isNaN(moved) ? '' : moved > 0 ? 'clocks go forward' : 'clocks go back'
    return { ...run, shift: shift && `${shift}: ${offsetText(run.at, zone)} from now on`, gap: gapOf(run.at, zone) }
  })

export const Runs = ({ runs, zone, title = 'Next runs' }: { runs: Known; zone: string; title?: string }) => (
  <Table
    caption={title}
    columns={columnsOf(zone)}
    rows={shiftsOf(runs, zone)}
    keyOf={({ at, action }: Run) => `${at} ${action}`}
  />
)

const columnsOf = (zone: string): Column<Run>[] => [
  {
    title: 'Action',
    text: ({ action }) => actionText[action],
    badge: ({ action }) => (action === 'start' ? 'good' : ''),
  },
  {
    key: 'wall',
    title: `Local time (${zone})`,
    show: ({ at, shift, gap }) => (
      <>
        <strong>{wallText(at, zone)}</strong> <span class="faint">{offsetText(at, zone)}</span>
        {shift && <span class="sub">{shift}</span>}
        {gap && <span class="sub">{gap}</span>}
      </>
    ),
  },
  { title: 'UTC', show: ({ at }) => <span class="faint">{timeText(at)}</span> },
]
