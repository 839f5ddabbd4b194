/** Dismisses several recommendations at once, with one note; each can be reopened. */
import { useState } from 'preact/hooks'
import { ask } from '../../api.ts'
import { pluralize, usd } from '../../figure.ts'
import { problemOf, type Problem } from '../../problem.ts'
import { refetchAll } from '../../refetch.ts'
import { Act } from '../../part/act.tsx'
import { Confirm } from '../../part/confirm.tsx'
import { TextField } from '../../part/form.tsx'
import { toast } from '../../part/toast.tsx'
import type { Recommendation } from './labels.ts'

const operation = 'PATCH /recommendations/:recommendationID'

/** One after the other: each is refused or done for itself. @returns those that were changed, and the first refusal */
async function setStatus(
  ids: readonly string[],
  body: object,
): Promise<{ done: string[]; problem: Problem | undefined }> {
  const done: string[] = []
  let problem: Problem | undefined
  for (const recommendationID of ids) {
    try {
      await ask(operation, { params: { recommendationID }, body })
      done.push(recommendationID)
    } catch (error) {
      problem ??= problemOf(error)
    }
  }
  refetchAll()
  return { done, problem }
}

interface DismissProps {
  rows: readonly Recommendation[]
  label?: string
  onDone: () => void
}

export function DismissSelected({ rows, label = 'Dismiss selected…', onDone }: DismissProps) {
  const [isOpen, setOpen] = useState(false)
  const [note, setNote] = useState('')
  const [doing, setDoing] = useState<{ isBusy: boolean; problem: Problem | undefined }>({
    isBusy: false,
    problem: undefined,
  })
  const run = async () => {
    setDoing({ isBusy: true, problem: undefined })
    const body = { status: 'dismissed', ...(note.trim() !== '' && { note: note.trim() }) }
    const { done, problem } = await setStatus(
      rows.map(({ id }) => id),
      body,
    )
    setDoing({ isBusy: false, problem })
    if (done.length > 0)
      toast(`${pluralize(done.length, 'recommendation')} dismissed.`, () => void setStatus(done, { status: 'open' }))
    if (problem) return
    setOpen(false)
    onDone()
  }
  const savings = rows.reduce((sum, { savingsUsd }) => sum + savingsUsd, 0)
  return (
    <>
      <Act needs="service.update" isSmall onClick={() => setOpen(true)}>
        {label}
      </Act>
      {isOpen && (
        <Confirm
          title={`Dismiss ${pluralize(rows.length, 'recommendation')}?`}
          action={`Dismiss ${rows.length}`}
          doing={doing}
          onConfirm={() => void run()}
          onClose={() => setOpen(false)}
        >
          <p>
            They leave the list and are excluded from all totals: {usd(savings)} of potential savings in 30 days.
            Workflows that have made no call yet are canceled. You can reopen each of them.
          </p>
          <TextField
            label="Note (visible to everyone who can see these recommendations)"
            rows={2}
            maxLength={1000}
            value={note}
            onValue={setNote}
          />
        </Confirm>
      )}
    </>
  )
}
