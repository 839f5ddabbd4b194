/** The recorded load of the target, and what the policy, or one with other terms, would have made of it. */
import { useState } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import { timeText } from '../../day.ts'
import { count, numberOf, percent, usd } from '../../figure.ts'
import { change, param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { may } from '../../session.ts'
import { momentShort } from '../../zone.ts'
import { Tile } from '../../part/tile.tsx'
import { Chart } from '../../part/chart.tsx'
import { Copies } from '../../part/copy.tsx'
import { FormProblem } from '../../part/form.tsx'
import { Fields, placesOf } from '../../part/form/field.tsx'
import { Panel } from '../../part/panel.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import type { Policy } from './labels.ts'

type Replay = Reply<'POST /autoscaler-policies/what-if'>

const ranges = [
  { id: '24h', title: '24 hours', hours: 24 },
  { id: '7d', title: '7 days', hours: 168 },
  { id: '30d', title: '30 days', hours: 720 },
] as const
const hourMs = 3_600_000
const pointsMax = 168

/** Whole hours, so that the same question is asked for a while. */
function rangeAsked(): { from: string; to: string; id: string } {
  const chosen = ranges.find(({ id }) => id === param('range')) ?? ranges[1]
  const to = Math.floor(Date.now() / hourMs) * hourMs
  return { id: chosen.id, from: new Date(to - chosen.hours * hourMs).toISOString(), to: new Date(to).toISOString() }
}

/** Terms of the address stand for those of the policy: a replay of other terms can be shared. */
const termsOf = ({ min, max, targetCPUPercent, cooldownSeconds, triggers, step, maxHourlyUSD, adoption }: Policy) => ({
  min: numberOf(param('min') ?? String(min)),
  max: numberOf(param('max') ?? String(max)),
  targetCPUPercent: numberOf(param('targetCPUPercent') ?? String(targetCPUPercent)),
  cooldownSeconds: numberOf(param('cooldownSeconds') ?? String(cooldownSeconds)),
  triggers,
  ...(step && { step }),
  ...(maxHourlyUSD !== undefined && { maxHourlyUSD }),
  ...(adoption && { adoption }),
})

export function WhatIf({ policy }: { policy: Policy }) {
  const { target, cloudAccountID } = policy
  const known = useReport('GET /resources/by-uids', { query: { uids: [target.uid] }, when: may('space.view') })
  const isKnown = known.data ? known.data.some((one) => one.cloudAccountID === cloudAccountID) : !may('space.view')
  const { id, from, to } = rangeAsked()
  const body = { cloudAccountID, target, ...termsOf(policy), from, to, points: pointsMax }
  const report = useReport('POST /autoscaler-policies/what-if', { body, when: isKnown })
  const pick = (event: Event) => change({ range: (event.target as HTMLSelectElement).value })
  const isOther = editableTerms.some((name) => param(name) !== undefined)
  return (
    <Panel
      title="Load and replay"
      about={`${timeText(from)} – ${timeText(to)}`}
      tools={
        <>
          <label>
            Period{' '}
            <select onChange={pick}>
              {ranges.map((one) => (
                <option key={one.id} value={one.id} selected={one.id === id}>
                  {one.title}
                </option>
              ))}
            </select>
          </label>{' '}
          <Copies report={report} />
        </>
      }
    >
      {known.data && !isKnown && (
        <Empty title="The target is not in the inventory.">
          <p>Its load can be replayed once a discovery finds it in its account.</p>
        </Empty>
      )}
      {isKnown && <Terms key={policy.updatedAt} policy={policy} isOther={isOther} problem={report.problem} />}
      {isKnown && !(report.problem?.status === 400) && (
        <ReportContent report={report} rows={6}>
          {(data: Replay) => <Figures data={data} isOther={isOther} />}
        </ReportContent>
      )}
    </Panel>
  )
}

const editableTerms = ['min', 'max', 'targetCPUPercent', 'cooldownSeconds'] as const

interface TermsProps {
  policy: Policy
  isOther: boolean
  problem: Parameters<typeof FormProblem>[0]['problem']
}

const labels = {
  min: 'Minimum units',
  max: 'Maximum units',
  targetCPUPercent: 'Target CPU, percent',
  cooldownSeconds: 'Cooldown, seconds',
} as const
const termFields = editableTerms.map((name) => ({ name, label: labels[name], kind: 'number' as const }))

/** Each term by its name, with what `of` says of it. */
const ofTerms = <V,>(of: (name: (typeof editableTerms)[number]) => V): Record<string, V> =>
  Object.fromEntries(editableTerms.map((name) => [name, of(name)]))

function Terms({ policy, isOther, problem }: TermsProps) {
  const [draft, setDraft] = useState(() => ofTerms((name) => param(name) ?? String(policy[name])))
  const refused = problem?.status === 400 ? problem : undefined
  const submit = (event: Event) => {
    event.preventDefault()
    change(ofTerms((name) => (draft[name] === String(policy[name]) ? null : draft[name])))
  }
  const back = () => {
    setDraft(ofTerms((name) => String(policy[name])))
    change(ofTerms(() => null))
  }
  return (
    <form class="form replay" onSubmit={submit} noValidate>
      <div class="row">
        <Fields
          fields={termFields}
          draft={draft}
          set={(changes) => setDraft({ ...draft, ...(changes as typeof draft) })}
          problem={refused}
        />
        <p class="bar">
          <button type="submit">Replay</button>
          {isOther && (
            <button type="button" class="quiet" onClick={back}>
              Reset to the policy
            </button>
          )}
        </p>
      </div>
      <FormProblem problem={refused} fields={placesOf(termFields)} />
      <p class="faint">Nothing is saved or changed: the replay is computed from recorded data.</p>
    </form>
  )
}

function Figures({ data, isOther }: { data: Replay; isOther: boolean }) {
  const points = data.points ?? []
  if (data.measuredHours === 0)
    return (
      <Empty title="No metrics in this period.">
        <p>Choose a longer period, or wait for samples of CPU and unit count.</p>
      </Empty>
    )
  const periods = points.map(({ at }) => at)
  const whose = isOther ? 'with these settings' : 'by the policy'
  return (
    <>
      <section class="tiles" aria-label="Replay results">
        <Tile
          title="Unit-hours"
          value={count(data.capacityHours)}
          note={
            <>
              {whose}; recorded: {count(data.recordedCapacityHours)}
            </>
          }
        />
        <Tile
          title="Cost"
          value={data.costUSD === null ? 'unknown' : usd(data.costUSD)}
          note={data.costUSD === null ? 'the unit price is unknown' : 'at the current unit price, not from bills'}
        />
        <Tile
          title="Above its target"
          value={<>{count(data.hoursAboveTarget)} h</>}
          note={<>of {count(data.measuredHours)} measured hours</>}
        />
        <Tile title="Changes" value={count(data.writes)} note="it would have made" />
      </section>
      <h3>Units</h3>
      <Chart
        title="Recorded and replayed units"
        kind="lines"
        height={200}
        periods={periods}
        name={momentShort}
        show={count}
        showShort={count}
        series={[
          { label: 'recorded', values: points.map(({ recordedUnits }) => recordedUnits) },
          { label: whose, values: points.map(({ units }) => units) },
        ]}
      />
      <h3>Load</h3>
      <Chart
        title="CPU of the recorded units"
        kind="lines"
        height={180}
        periods={periods}
        name={momentShort}
        show={percent}
        showShort={percent}
        series={[{ label: 'CPU recorded', values: points.map(({ cpuPercent }) => cpuPercent) }]}
      />
    </>
  )
}
