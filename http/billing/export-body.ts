/** Bodies for listing and removing bill exports. */
import type { Bills, ShownBill } from '#actors/account/bill/bills.ts'
import type { RemovedPeriod } from '#actors/account/bill/removal.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { orNull, Timestamp } from '#http/edge/parameter/field.ts'

const Usd = t.String({ description: 'exact decimal string, US dollars' })
const Figures = t.Object({ lines: t.Integer(), billedUSD: Usd }, { title: 'BillFigures' })
const Period = t.String({ description: 'billing period, YYYY-MM' })

const listedStates = ['shown', 'begun', 'waiting', 'held', 'incomplete', 'previous', 'removed'] as const

export const BillExportView = t.Object(
  {
    id: t.String(),
    cloudAccountID: t.String(),
    period: Period,
    exportedAt: Timestamp,
    state: t.Enum(listedStates, {
      description: [
        'shown: in reports',
        'begun: started; reports show its lines as they arrive',
        'waiting, held, incomplete: ended, but it has not replaced anything yet',
        'previous: shown in the past; shown again if the later exports are removed while its lines are still stored',
        'removed: by removedBy',
      ].join('; '),
    }),
    since: orNull({
      ...Timestamp,
      description: 'start of the current state; for a previous export, when it was first shown',
    }),
    lines: orNull(t.Integer({ description: 'null until counted' })),
    billedUSD: orNull(Usd),
    removedBy: orNull(t.String({ description: 'the user or principal who removed it' })),
  },
  {
    title: 'BillExport',
    examples: [
      {
        id: '2026-01-r7',
        cloudAccountID: 'acct-1',
        period: '2026-01',
        exportedAt: '2026-01-16T03:00:00.000Z',
        state: 'shown',
        since: '2026-01-16T03:04:11.120Z',
        lines: 20418,
        billedUSD: '12480.55',
        removedBy: null,
      },
    ],
  },
)
export type BillExportView = Static<typeof BillExportView>

export const BillRemoval = t.Object(
  {
    removed: t.Array(
      t.Object({
        exportID: t.String(),
        exportedAt: Timestamp,
        period: Period,
        lines: t.Integer({ description: 'of the removed export' }),
        billedUSD: { ...Usd, description: 'of the removed export: exact decimal string, US dollars' },
        before: Figures,
        after: Figures,
        showsExportID: orNull(t.String({ description: 'the export now in reports; null: none' })),
      }),
      { description: 'by billing period; before and after: totals of the bill' },
    ),
  },
  {
    title: 'BillRemoval',
    examples: [
      {
        removed: [
          {
            exportID: '2026-01-r7',
            exportedAt: '2026-01-16T03:00:00.000Z',
            period: '2026-01',
            lines: 20418,
            billedUSD: '12480.55',
            before: { lines: 20418, billedUSD: '12480.55' },
            after: { lines: 19880, billedUSD: '11902.1' },
            showsExportID: '2026-01-r6',
          },
        ],
      },
    ],
  },
)
export type BillRemoval = Static<typeof BillRemoval>

const figures = ({ lines, billed }: RemovedPeriod['before']) => ({ lines, billedUSD: billed })

export const shownRemoval = (removed: readonly RemovedPeriod[]): BillRemoval => ({
  removed: removed.map((one) => ({
    exportID: one.exportId,
    exportedAt: one.exportedAt,
    period: one.period,
    lines: one.removed.lines,
    billedUSD: one.removed.billed,
    before: figures(one.before),
    after: figures(one.after),
    showsExportID: one.shows,
  })),
})

type Entry = Omit<BillExportView, 'cloudAccountID'>

const unknown = { lines: null, billedUSD: null, removedBy: null }

/** The exports shown before, then the one that is shown now. */
function shownEntries(period: string, { id, at, complete, amount, since, before }: ShownBill): Entry[] {
  const previous = before.map((past): Entry => {
    const own = past.amount ? figures(past.amount) : {}
    return { id: past.id, period, exportedAt: past.at, state: 'previous', since: past.since, ...unknown, ...own }
  })
  const own = complete ? figures(amount) : {}
  return [...previous, { id, period, exportedAt: at, state: complete ? 'shown' : 'begun', since, ...unknown, ...own }]
}

/** The exports that an account knows, newest period first, within a period newest export first. */
export function listedExports({ shown, begun, open, removed }: Bills): Entry[] {
  const entries = new Map<string, Entry>()
  const add = (entry: Entry): void => void entries.set(`${entry.period}/${entry.id}`, entry)
  for (const { id, at, period, amount, on, by } of removed)
    add({ id, period, exportedAt: at, state: 'removed', since: on, ...figures(amount), removedBy: by })
  for (const [period, { id, at }] of Object.entries(begun))
    add({ id, period, exportedAt: at, state: 'begun', since: null, ...unknown })
  for (const [period, one] of Object.entries(shown)) for (const entry of shownEntries(period, one)) add(entry)
  for (const { id, at, periods, state, since } of open)
    for (const period of Object.keys(periods)) {
      if (shown[period]?.id === id && shown[period].complete) continue
      add({ id, period, exportedAt: at, state, since, ...unknown })
    }
  return [...entries.values()].toSorted((a, b) => compareTexts(b.period, a.period) || compareTexts(order(b), order(a)))
}

const order = ({ exportedAt, id }: Entry): string => `${exportedAt} ${id}`
const compareTexts = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)
