/** One upload: its files, what was refused and why, and what stands where it would go. */
import { useEffect, useState } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import { monthText, rangeText, timeText } from '../../day.ts'
import { count, pluralize, exact } from '../../figure.ts'
import { Clip } from '../../part/clip.tsx'
import { Act } from '../../part/act.tsx'
import { Confirm } from '../../part/confirm.tsx'
import { Copies } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { ProblemMessage, ReportContent } from '../../part/report-content.tsx'
import type { Column } from '../../part/list/column.tsx'
import { Table } from '../../part/table.tsx'
import { change, hrefOf } from '../../router.ts'
import { useRequest, useReport, type Report } from '../../report.ts'
import { states } from './upload-state.ts'
import { bytes } from '../../bytes.ts'

type Upload = Reply<'GET /billing/uploads/:uploadID'>
type Period = Upload['periods'][number]

/** While it moves it is looked at again this often, milliseconds. */
const lookMs = 1000
const moving: readonly string[] = ['reading', 'storing', 'applying']

export function OneUpload({ id }: { id: string }) {
  const report = useReport('GET /billing/uploads/:uploadID', {
    params: { uploadID: id },
    on: ['bill.', 'costs.changed'],
  })
  const isMoving = moving.includes(report.data?.state ?? '')
  useEffect(() => {
    if (!isMoving || report.isAsking) return
    const timer = setTimeout(report.again, lookMs)
    return () => clearTimeout(timer)
  }, [isMoving, report.isAsking])
  const tools = (
    <>
      <Copies report={report} />
      <button type="button" class="quiet" onClick={() => change({ upload: null })}>
        Close ✕
      </button>
    </>
  )
  return (
    <Panel title="Upload preview" tools={tools}>
      <ReportContent report={report} rows={6}>
        {(data: Upload) => <UploadDetail data={data} report={report} />}
      </ReportContent>
    </Panel>
  )
}

function UploadDetail({ data, report }: { data: Upload; report: Report<Upload> }) {
  const { state, message, files, rows, accepted, refusedRows, roundedRows, currencies } = data
  return (
    <>
      <p>
        <span class={`badge ${states[state].look}`} role="status">
          {states[state].text}
        </span>{' '}
        {message}
      </p>
      <p>
        {files.map(({ name, bytes: size, format }) => (
          <span class="line" key={name}>
            <Clip text={name} size="wide" />{' '}
            <span class="faint">
              {format}, {bytes(size)}
            </span>{' '}
          </span>
        ))}
      </p>
      <p>
        {pluralize(rows, 'row')}: {count(accepted)} accepted, {count(refusedRows)} rejected.
        {roundedRows > 0 &&
          ` ${pluralize(roundedRows, 'row')} with an amount rounded to 14 decimal places.`} Exported{' '}
        {timeText(data.exportedAt)}.{' '}
        {currencies
          .filter(({ currency }) => currency !== 'USD')
          .map(({ currency, billed }) => `${exact(billed)} ${currency}`)
          .join(', ')}{' '}
        {zerosText(data.periods)}
      </p>
      <Reasons title="Rejected rows" reasons={data.refused} />
      <Reasons title="Rows accepted with a warning" reasons={data.warnings} />
      <Table
        caption="Billing periods"
        columns={periodColumns(state)}
        rows={data.periods}
        keyOf={({ period }: Period) => period}
      />
      <Doing data={data} report={report} />
    </>
  )
}

type RowReason = Upload['refused'][number]

/** Rows of which the same is said: why they were refused, or what of them was left out. */
function Reasons({ title, reasons }: { title: string; reasons: readonly RowReason[] }) {
  if (reasons.length === 0) return null
  const placeOf = ({ file, line, element }: RowReason['rows'][number]) =>
    `${file} ${line === undefined ? `element ${element}` : `line ${line}`}`
  const columns: Column<RowReason>[] = [
    { title: 'Reason', show: ({ reason }) => reason, sub: ({ code }) => code },
    { title: 'Rows', count: ({ count: rows }) => rows },
    { title: 'First occurrences', show: ({ rows }) => rows.map(placeOf).join(', ') },
  ]
  return (
    <>
      <h3>{title}</h3>
      <Table
        caption={`${title}, by reason`}
        columns={columns}
        rows={reasons}
        keyOf={({ code, reason }: RowReason) => `${code} ${reason}`}
      />
    </>
  )
}

const amount = (of: { lines: number; billedUSD: string | null } | null) =>
  of === null ? (
    <span class="faint">none</span>
  ) : (
    <>
      {of.billedUSD === null ? '…' : `${exact(of.billedUSD)} USD`}
      <span class="sub faint">{pluralize(of.lines, 'line')}</span>
    </>
  )

/** Before it is applied what stands there; afterwards what stood. */
function periodColumns(state: Upload['state']): Column<Period>[] {
  const isDone = ['replaced', 'over'].includes(state)
  return [
    {
      title: 'Billing period',
      show: ({ period, from, to }) => <a href={hrefOf('costs', { from, to })}>{monthText(period)}</a>,
      sub: ({ from, to }) => rangeText(from, to),
    },
    {
      key: 'standing',
      title: isDone ? 'Previous bill' : 'Current bill',
      isFigure: true,
      show: ({ standing, before }) => amount(isDone ? before : standing),
    },
    {
      key: 'new',
      title: isDone ? 'Current bill' : 'This bill',
      isFigure: true,
      show: (one) => amount(isDone ? one.after : one),
    },
    { title: isDone ? 'Result' : 'Effect', show: (one) => outcomeOf(one, isDone) },
  ]
}

function outcomeOf({ standing, replaces, lessThanHalf, repeats }: Period, isDone: boolean): string {
  if (isDone) return ''
  if (standing === null) return repeats === null ? 'first bill' : `counts twice: ${repeatText(repeats)}`
  const of = standing.exportedAt === null ? 'the earlier lines' : `the bill exported ${timeText(standing.exportedAt)}`
  if (!replaces) return `no change: ${of} is newer`
  return `replaces ${of}${lessThanHalf ? ' and is less than half of it' : ''}`
}

const repeatText = ({ cloudAccountID, accounts, of }: NonNullable<Period['repeats']>): string =>
  `the bill of ${cloudAccountID ?? 'another account'} already contains ${of === 1 ? 'its account' : `${count(accounts)} of its ${count(of)} accounts`}`

/** Account numbers that a spreadsheet has shortened. */
function zerosText(periods: readonly Period[]): string {
  const ids = [...new Set(periods.flatMap(({ zerosAdded }) => zerosAdded))].toSorted()
  if (ids.length === 0) return ''
  const more = ids.length > zerosMax ? ` and ${count(ids.length - zerosMax)} more` : ''
  return `Added leading zeros to account numbers, because spreadsheets remove them: ${ids.slice(0, zerosMax).join(', ')}${more}.`
}
const zerosMax = 10

/** What applying does, in a sentence. */
function applyText({ periods, cloudAccountID }: Upload): unknown {
  const taken = periods.filter(({ standing, replaces }) => standing === null || replaces)
  const old = taken.filter(({ standing }) => standing !== null)
  if (periods.length === 0) return 'Nothing changes: no row was accepted.'
  if (taken.length === 0) return 'Nothing changes: newer bills are current for all its billing periods.'
  const what = `${pluralize(taken.length, 'billing period')} of`
  return (
    <>
      {what}{' '}
      <strong class="clip" dir="auto" title={cloudAccountID}>
        {cloudAccountID}
      </strong>{' '}
      {taken.length === 1 ? 'shows' : 'show'} this bill, in all reports at once;{' '}
      {old.length === 0
        ? 'there is no current bill yet'
        : `in ${old.length === taken.length ? (old.length === 1 ? 'it' : 'all of them') : `${count(old.length)} of them`} it replaces the current bill`}
      .
    </>
  )
}

const doubts = {
  rows_refused: 'rows were rejected, so it may not be the complete bill',
  less_than_half: 'it is less than half of the current bill',
  other_account: 'another account already has most of its charges, and both bills would count',
  days_lost: 'it does not cover days that have costs now',
}

function Doing({ data, report }: { data: Upload; report: Report<Upload> }) {
  const [isAsked, setAsked] = useState(false)
  const [isOwn, setOwn] = useState(true)
  const applying = useRequest('POST /billing/uploads/:uploadID/apply')
  const discarding = useRequest('DELETE /billing/uploads/:uploadID')
  if (data.state !== 'ready' && data.state !== 'held') return null
  const params = { uploadID: data.id }
  const losesDays = data.confirm.includes('days_lost')
  const days = isOwn ? ('own' as const) : ('whole' as const)
  const body = { ...(data.confirm.length > 0 && { confirm: true }), ...(losesDays && { days }) }
  const apply = () =>
    void applying.run({ params, body }, () => {
      setAsked(false)
      report.again()
    })
  const discard = () => void discarding.run({ params }, report.again)
  return (
    <>
      <p class="bar">
        <Act needs="space.update" class="main" onClick={() => setAsked(true)}>
          Apply…
        </Act>{' '}
        <Act needs="space.delete" onClick={discard} disabled={discarding.isBusy}>
          Discard
        </Act>
      </p>
      {discarding.problem && <ProblemMessage problem={discarding.problem} />}
      {isAsked && (
        <Confirm
          title="Apply this bill?"
          action="Apply"
          doing={applying}
          request={{ operation: 'POST /billing/uploads/:uploadID/apply', params, body }}
          onConfirm={apply}
          onClose={() => setAsked(false)}
        >
          <p>{applyText(data)} To undo this, an admin can remove it below.</p>
          {data.confirm.map((doubt) => (
            <p class="note" key={doubt}>
              Warning: {doubts[doubt]}.
            </p>
          ))}
          {losesDays && (
            <p>
              <label>
                <input type="checkbox" checked={isOwn} onChange={() => setOwn(!isOwn)} /> Replace only the days it
                covers; all other days stay unchanged
              </label>
            </p>
          )}
        </Confirm>
      )}
    </>
  )
}
