/** One policy: its target now, what it says, the recorded load with what the policy would have made of it, and what it did. */
import { useState } from 'preact/hooks'
import { timeText } from '../../day.ts'
import { count, percent, usd } from '../../figure.ts'
import { hrefOf } from '../../router.ts'
import { useReport } from '../../report.ts'
import { Tile } from '../../part/tile.tsx'
import { Clip } from '../../part/clip.tsx'
import { Act } from '../../part/act.tsx'
import { Copies } from '../../part/copy.tsx'
import { Head } from '../../part/head.tsx'
import { useEvery } from '../../part/polling.ts'
import { Panel } from '../../part/panel.tsx'
import { ReportContent } from '../../part/report-content.tsx'
import { Apply, PauseOrResume, Remove } from './acts.tsx'
import { Advice } from './advice.tsx'
import { PolicyActivity } from './activity.tsx'
import { PolicyForm } from './form.tsx'
import { Badge } from './list.tsx'
import { WhatIf } from './what-if.tsx'
import { modes, triggerText, type Policy } from './labels.ts'

export function PolicyDetail({ id }: { id: string }) {
  const report = useReport('GET /autoscaler-policies/:policyID', {
    params: { policyID: id },
    query: { include_removed: true },
    on: ['inventory.'],
  })
  useEvery(30, report.data !== undefined && report.data.status !== 'removed', report.again)
  const [isEditing, setEditing] = useState(false)
  const again = () => {
    setEditing(false)
    report.again()
  }
  return (
    <ReportContent report={report} rows={6}>
      {(policy: Policy) => (
        <>
          <Head
            title="Autoscaling"
            of={{ name: policy.name, href: hrefOf('scaling') }}
            beside={<Badge policy={policy} />}
          >
            {policy.status !== 'removed' && (
              <>
                <PauseOrResume policy={policy} onDone={again} />
                <Act needs="service.update" onClick={() => setEditing(!isEditing)}>
                  Edit
                </Act>
                <Remove policy={policy} onDone={again} />
              </>
            )}
            <Copies report={report} />
          </Head>
          {policy.statusReason && <p class="note">{policy.statusReason}</p>}
          {isEditing && <PolicyForm policy={policy} onClose={() => setEditing(false)} onDone={again} />}
          <Now policy={policy} onDone={again} />
          <WhatIf policy={policy} />
          <Terms policy={policy} />
          {policy.status !== 'removed' && <Advice policy={policy} />}
          <PolicyActivity id={policy.id} updatedAt={policy.updatedAt} />
        </>
      )}
    </ReportContent>
  )
}

function Now({ policy, onDone }: { policy: Policy; onDone: () => void }) {
  const { currentTarget: now, latestRecommendation: said, effectiveMode } = policy
  return (
    <section class="tiles" aria-label="Current state of the target">
      <article class="tile">
        <h2>Current units</h2>
        <span class="big">{count(now.desired)}</span>
        <span class="small">
          within {now.min} to {now.max}
        </span>
        <span class="small faint">as of {timeText(now.observedAt)}</span>
      </article>
      <Tile
        title="Current CPU"
        value={now.cpuPercent === null ? 'not measured' : percent(now.cpuPercent)}
        note={<>target {percent(policy.targetCPUPercent)}</>}
      />
      <Tile title="Mode" value={effectiveMode} note={modes[effectiveMode].does} />
      <article class="tile">
        <h2>Recommendation</h2>
        {said ? (
          <>
            <span class="big">
              {said.toMin} to {said.toMax}
            </span>
            <span class="small">
              from {said.fromMin} to {said.fromMax}: {said.reason}
            </span>
            <span class="small faint">{timeText(said.createdAt)}</span>
            {effectiveMode === 'monitor' ? (
              <span class="small faint">Monitor mode does not apply it. A policy in recommend mode could.</span>
            ) : (
              <Apply policy={policy} onDone={onDone} />
            )}
          </>
        ) : (
          <>
            <span class="big">nothing</span>
            <span class="small">no change is needed, as far as is known</span>
          </>
        )}
      </article>
    </section>
  )
}

const Terms = ({ policy }: { policy: Policy }) => (
  <Panel title="Settings" about={`changed ${timeText(policy.updatedAt)}`}>
    <dl class="terms">
      <dt>Target</dt>
      <dd>
        <Clip text={policy.target.uid} size="wide" /> <span class="faint">{policy.target.type}</span>
      </dd>
      <dt>Units</dt>
      <dd>
        {policy.min} to {policy.max}, target CPU {percent(policy.targetCPUPercent)}
      </dd>
      <dt>Cooldown</dt>
      <dd>{count(policy.cooldownSeconds)} seconds</dd>
      <dt>Change limits</dt>
      <dd>
        {policy.step
          ? [
              policy.step.up !== undefined ? `adds at most ${policy.step.up}` : '',
              policy.step.down !== undefined ? `removes at most ${policy.step.down}` : '',
            ]
              .filter(Boolean)
              .join(', ')
          : 'none'}
      </dd>
      <dt>Hourly cost limit</dt>
      <dd>
        {policy.maxHourlyUSD === undefined ? 'none' : `${usd(policy.maxHourlyUSD)}; the minimum takes precedence`}
      </dd>
      <dt>Scheduled minimums</dt>
      <dd>
        {policy.triggers.length === 0 ? (
          'none'
        ) : (
          <ul>
            {policy.triggers.map((trigger, at) => (
              <li key={at}>{triggerText(trigger)}</li>
            ))}
          </ul>
        )}
      </dd>
      <dt>Existing policies of the target</dt>
      <dd>
        {policy.adoption === null
          ? 'not specified'
          : policy.adoption === 'adopt'
            ? 'kept; only the limits change'
            : 'removed with the first change'}
      </dd>
    </dl>
  </Panel>
)
