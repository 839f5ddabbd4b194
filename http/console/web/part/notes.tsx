/** Notes of the organization at days: marked in charts, listed below them, added and deleted there. */
import { useState } from 'preact/hooks'
import type { Reply } from '../api.ts'
import { dayShort, daysOfPeriod, today } from '../day.ts'
import { useReport, type Report } from '../report.ts'
import { may } from '../session.ts'
import { ConfirmButton } from './confirm-dialog.tsx'
import { Form } from './form/form.tsx'
import type { Period } from './period.tsx'
import type { Mark } from './series.ts'

type List = Reply<'GET /notes'>
type Note = List[number]

export const useNotes = ({ from, to }: Period): Report<List> => useReport('GET /notes', { query: { from, to } })

/** A mark at the period that contains the day: a day, a week or a month. None if there is no such period. */
export function atDay(periods: readonly string[], day: string, mark: Omit<Mark, 'period'>): Mark[] {
  const period = periods.find((one) => {
    const { from, to } = daysOfPeriod(one)
    return from <= day && day <= to
  })
  return period === undefined ? [] : [{ period, ...mark }]
}

export const noteMarks = (periods: readonly string[], notes: readonly Pick<Note, 'day' | 'text'>[] = []): Mark[] =>
  notes.flatMap(({ day, text }) => atDay(periods, day, { text, severity: 'info', letter: 'N' }))

export function Notes({ report, period }: { report: Report<List>; period: Period }) {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  const done = () => {
    close()
    report.again()
  }
  const notes = report.data ?? []
  return (
    <div class="notes">
      {notes.length > 0 && (
        <ul class="list" aria-label="Notes">
          {notes.map((one) => (
            <NoteLine key={one.id} note={one} onDone={report.again} />
          ))}
        </ul>
      )}
      {isOpen ? (
        <NoteForm period={period} onClose={close} onDone={done} />
      ) : (
        may('service.create') && (
          <button type="button" class="quiet" onClick={() => setOpen(true)}>
            Add a note
          </button>
        )
      )}
    </div>
  )
}

const NoteLine = ({ note: { id, day, text, authorName }, onDone }: { note: Note; onDone: () => void }) => (
  <li>
    <strong class="nowrap">{dayShort(day)}</strong>{' '}
    <span class="wrap" dir="auto">
      {text}
    </span>{' '}
    {authorName && <span class="faint">{authorName}</span>}{' '}
    <ConfirmButton
      operation="DELETE /notes/:noteID"
      params={{ noteID: id }}
      needs="service.delete"
      isDanger
      class="quiet"
      label="Delete"
      of={`the note of ${dayShort(day)}`}
      title="Delete this note?"
      action="Delete note"
      onDone={onDone}
    >
      <p dir="auto">{text}</p>
      <p>It disappears from the charts of everyone in the organization.</p>
    </ConfirmButton>
  </li>
)

interface NoteFormProps {
  period: Period
  onClose: () => void
  onDone: () => void
}

const NoteForm = ({ period: { to }, onClose, onDone }: NoteFormProps) => (
  <Form
    noun="note"
    title={null}
    begun={() => ({ day: to < today() ? to : today(), text: '' })}
    fields={() => [
      { name: 'day', label: 'Day', kind: 'date', isRequired: true },
      {
        name: 'text',
        label: 'Note',
        isRequired: true,
        maxLength: 200,
        bounds: 'At most 200 characters',
        placeholder: 'Moved the shop to Arm machines',
        help: 'Everyone in the organization sees it in charts.',
      },
    ]}
    create="POST /notes"
    onClose={onClose}
    onDone={onDone}
  />
)
