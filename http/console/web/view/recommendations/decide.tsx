/** What people say becomes of it: done, dismissed, asleep for a while, or open again. Said first, then sent. */
import { useState } from 'preact/hooks'
import { addDays, today } from '../../day.ts'
import { usd } from '../../figure.ts'
import { Act } from '../../part/act.tsx'
import { Confirm } from '../../part/confirm.tsx'
import { Fields, type FormField } from '../../part/form/field.tsx'
import { Panel } from '../../part/panel.tsx'
import { useRequest } from '../../report.ts'
import { statusName, type Detail } from './labels.ts'

type Way = 'done' | 'dismiss' | 'snooze' | 'reopen'

const needs = 'service.update'
const operation = 'PATCH /recommendations/:recommendationID'
/** How far back and ahead the API takes days. */
const [appliedDaysMax, snoozeDaysMax] = [90, 365]

interface Draft {
  note: string
  /** The day since when it is so; empty: now. */
  since: string
  until: string
}

/** What is sent. A day begins at midnight, UTC. */
function bodyOf(way: Way, { note, since, until }: Draft) {
  const said = note.trim() === '' ? {} : { note: note.trim() }
  if (way === 'done')
    return { status: 'applied', ...(since !== '' && { appliedAt: `${since}T00:00:00.000Z` }), ...said }
  if (way === 'snooze') return { status: 'dismissed', snoozeUntil: `${until}T00:00:00.000Z`, ...said }
  return { status: way === 'dismiss' ? 'dismissed' : 'open', ...said }
}

const titles: Readonly<Record<Way, { title: string; action: string }>> = {
  done: { title: 'Mark as done?', action: 'Mark as done' },
  dismiss: { title: 'Dismiss?', action: 'Dismiss' },
  snooze: { title: 'Snooze?', action: 'Snooze' },
  reopen: { title: 'Reopen?', action: 'Reopen' },
}

export function Decide({ data, onDecided }: { data: Detail; onDecided: () => void }) {
  const [way, setWay] = useState<Way | undefined>()
  const [draft, setDraft] = useState<Draft>({ note: '', since: '', until: addDays(today(), 30) })
  const doing = useRequest(operation)
  const { status } = data
  const begin = (next: Way) => () => {
    doing.clear()
    setWay(next)
  }
  const button = (next: Way, text: string) => (
    <Act needs={needs} class={next === 'done' ? 'main' : ''} onClick={begin(next)}>
      {text}
    </Act>
  )
  return (
    <Panel title="Set status">
      {status === 'open' && (
        <p class="bar">
          {button('done', 'Mark as done…')}
          {button('dismiss', 'Dismiss…')}
          {button('snooze', 'Snooze…')}
        </p>
      )}
      {(status === 'applied' || status === 'dismissed') && <p class="bar">{button('reopen', 'Reopen…')}</p>}
      {(status === 'optimised' || status === 'rule_retired') && (
        <p class="faint">Closed: {statusName(status)}. If it is found again, it reopens automatically.</p>
      )}
      {way && (
        <StatusDialog
          way={way}
          data={data}
          draft={draft}
          set={(changes: Partial<Draft>) => setDraft({ ...draft, ...changes })}
          doing={doing}
          onClose={() => setWay(undefined)}
          onDone={() => {
            setWay(undefined)
            setDraft({ ...draft, note: '' })
            onDecided()
          }}
        />
      )}
    </Panel>
  )
}

interface StatusDialogProps {
  way: Way
  data: Detail
  draft: Draft
  set: (changes: Partial<Draft>) => void
  doing: ReturnType<typeof useRequest<typeof operation>>
  onClose: () => void
  onDone: () => void
}

const fieldsOf = (way: Way): FormField<Draft>[] => [
  way === 'done' && {
    name: 'since',
    label: 'Done since (if in the past)',
    kind: 'date',
    at: '/appliedAt',
    help: `From the start of that day, UTC; at most ${appliedDaysMax} days ago. Leave empty for now.`,
  },
  way === 'snooze' && {
    name: 'until',
    label: 'Snooze until',
    kind: 'date',
    at: '/snoozeUntil',
    help: `At most ${snoozeDaysMax} days ahead.`,
  },
  { name: 'note', label: 'Note (visible to everyone who can see this recommendation)', rows: 2, maxLength: 1000 },
]

function StatusDialog({ way, data, draft, set, doing, onClose, onDone }: StatusDialogProps) {
  const request = { params: { recommendationID: data.id }, body: bodyOf(way, draft) }
  return (
    <Confirm
      {...titles[way]}
      doing={doing}
      request={{ operation, ...request }}
      onConfirm={() => void doing.run(request, onDone)}
      onClose={onClose}
    >
      <p dir="auto">
        <strong>{data.title}</strong>
      </p>
      <p>{meaning(way, data)}</p>
      <Fields fields={fieldsOf(way)} draft={draft} set={set} problem={doing.problem} />
    </Confirm>
  )
}

const meaning = (way: Way, { savingsUsd }: Detail): string =>
  ({
    done: `Nothing is executed: you report that it was done. From then on, ${usd(savingsUsd)} per 30 days counts as estimated savings until it is observed and verified by bills. You can reopen it.`,
    dismiss:
      'It leaves the list and is excluded from all totals. A workflow that has made no call yet is canceled. You can reopen it.',
    snooze:
      'It leaves the list and reopens on that day if it is still found. A workflow that has made no call yet is canceled. You can reopen it at any time.',
    reopen: 'It is open again and counts toward potential savings. Savings counted since it was marked done end.',
  })[way]
