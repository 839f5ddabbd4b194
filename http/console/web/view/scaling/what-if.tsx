/** The recorded load of the target, and what the policy, or one with other terms, would have made of it. */
import { useState } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import { timeText } from '../../day.ts'
import { count, percent, usd } from '../../figure.ts'
import { change, param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { may } from '../../session.ts'
import { momentShort } from '../../zone.ts'
import { Chart } from '../../part/chart.tsx'
import { Copies } from '../../part/copy.tsx'
import { FormProblem, TextField } from '../../part/form.tsx'
import { Panel } from '../../part/panel.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { numberOf } from '../allocation/draft.ts'
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

function Terms({ policy, isOther, problem }: TermsProps) {
  const [draft, setDraft] = useState(() =>
    Object.fromEntries(editableTerms.map((name) => [name, param(name) ?? String(policy[name])])),
  )
  const labels = {
    min: 'Minimum units',
    max: 'Maximum units',
    targetCPUPercent: 'Target CPU, percent',
    cooldownSeconds: 'Cooldown, seconds',
  }
  const submit = (event: Event) => {
    event.preventDefault()
    change(
      Object.fromEntries(
        editableTerms.map((name) => [name, draft[name] === String(policy[name]) ? null : draft[name]]),
      ),
    )
  }
  const back = () => {
    setDraft(Object.fromEntries(editableTerms.map((name) => [name, String(policy[name])])))
    change(Object.fromEntries(editableTerms.map((name) => [name, null])))
  }
  return (
    <form class="form replay" onSubmit={submit} noValidate>
      <div class="row">
        {editableTerms.map((name) => (
          <TextField
            key={name}
            label={labels[name]}
            value={draft[name] ?? ''}
            inputMode="decimal"
            onValue={(value: string) => setDraft({ ...draft, [name]: value })}
            at={`/${name}`}
            problem={problem?.status === 400 ? problem : undefined}
          />
        ))}
        <p class="bar">
          <button type="submit">Replay</button>
          {isOther && (
            <button type="button" class="quiet" onClick={back}>
              Reset to the policy
            </button>
          )}
        </p>
      </div>
      {problem?.status === 400 && <FormProblem problem={problem} fields={editableTerms.map((name) => `/${name}`)} />}
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
        <article class="tile">
          <h2>Unit-hours</h2>
          <span class="big">{count(data.capacityHours)}</span>
          <span class="small">
            {whose}; recorded: {count(data.recordedCapacityHours)}
          </span>
        </article>
        <article class="tile">
          <h2>Cost</h2>
          <span class="big">{data.costUSD === null ? 'unknown' : usd(data.costUSD)}</span>
          <span class="small">
            {data.costUSD === null ? 'the unit price is unknown' : 'at the current unit price, not from bills'}
          </span>
        </article>
        <article class="tile">
          <h2>Above its target</h2>
          <span class="big">{count(data.hoursAboveTarget)} h</span>
          <span class="small">of {count(data.measuredHours)} measured hours</span>
        </article>
        <article class="tile">
          <h2>Changes</h2>
          <span class="big">{count(data.writes)}</span>
          <span class="small">it would have made</span>
        </article>
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
