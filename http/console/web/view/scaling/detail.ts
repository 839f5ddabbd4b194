/** One policy: its target now, what it says, the recorded load with what the policy would have made of it, and what it did. */
import { useState } from 'preact/hooks'
import { html } from '../../html.ts'
import { timeText } from '../../day.ts'
import { count, percent, usd } from '../../figure.ts'
import { hrefOf } from '../../router.ts'
import { useReport } from '../../report.ts'
import { Act } from '../../part/act.ts'
import { Copies } from '../../part/copy.ts'
import { useEvery } from '../../part/polling.ts'
import { Panel } from '../../part/panel.ts'
import { ReportContent } from '../../part/report-content.ts'
import { Apply, PauseOrResume, Remove } from './acts.ts'
import { Advice } from './advice.ts'
import { PolicyActivity } from './activity.ts'
import { PolicyForm } from './form.ts'
import { Badge } from './list.ts'
import { WhatIf } from './what-if.ts'
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
  return html`<${ReportContent} report=${report} rows=${6}>${(policy: Policy) => html`
    <div class="view-head"><h1><a href=${hrefOf('scaling')}>Autoscaling</a> / <span class="clip wide" dir="auto" title=${policy.name}>${policy.name}</span> <${Badge} policy=${policy} /></h1><span class="tools">
      ${
        policy.status !== 'removed' &&
        html`<${PauseOrResume} policy=${policy} onDone=${again} />
        <${Act} needs="service.update" onClick=${() => setEditing(!isEditing)}>Edit<//>
        <${Remove} policy=${policy} onDone=${again} />`
      }
      <${Copies} report=${report} />
    </span></div>
    ${policy.statusReason && html`<p class="note">${policy.statusReason}</p>`}
    ${isEditing && html`<${PolicyForm} policy=${policy} onClose=${() => setEditing(false)} onDone=${again} />`}
    <${Now} policy=${policy} onDone=${again} />
    <${WhatIf} policy=${policy} />
    <${Terms} policy=${policy} />
    ${policy.status !== 'removed' && html`<${Advice} policy=${policy} />`}
    <${PolicyActivity} id=${policy.id} updatedAt=${policy.updatedAt} />`}<//>`
}

function Now({ policy, onDone }: { policy: Policy; onDone: () => void }) {
  const { currentTarget: now, latestRecommendation: said, effectiveMode } = policy
  return html`<section class="tiles" aria-label="Current state of the target">
    <article class="tile"><h2>Current units</h2><span class="big">${count(now.desired)}</span><span class="small">within ${now.min} to ${now.max}</span><span class="small faint">as of ${timeText(now.observedAt)}</span></article>
    <article class="tile"><h2>Current CPU</h2><span class="big">${now.cpuPercent === null ? 'not measured' : percent(now.cpuPercent)}</span><span class="small">target ${percent(policy.targetCPUPercent)}</span></article>
    <article class="tile"><h2>Mode</h2><span class="big">${effectiveMode}</span><span class="small">${modes[effectiveMode].does}</span></article>
    <article class="tile"><h2>Recommendation</h2>${
      said
        ? html`<span class="big">${said.toMin} to ${said.toMax}</span><span class="small">from ${said.fromMin} to ${said.fromMax}: ${said.reason}</span><span class="small faint">${timeText(said.createdAt)}</span>${effectiveMode === 'monitor' ? html`<span class="small faint">Monitor mode does not apply it. A policy in recommend mode could.</span>` : html`<${Apply} policy=${policy} onDone=${onDone} />`}`
        : html`<span class="big">nothing</span><span class="small">no change is needed, as far as is known</span>`
    }</article>
  </section>`
}

const Terms = ({ policy }: { policy: Policy }) =>
  html`<${Panel} title="Settings" about=${`changed ${timeText(policy.updatedAt)}`}>
    <dl class="terms">
      <dt>Target</dt><dd><span class="clip wide" title=${policy.target.uid}>${policy.target.uid}</span> <span class="faint">${policy.target.type}</span></dd>
      <dt>Units</dt><dd>${policy.min} to ${policy.max}, target CPU ${percent(policy.targetCPUPercent)}</dd>
      <dt>Cooldown</dt><dd>${count(policy.cooldownSeconds)} seconds</dd>
      <dt>Change limits</dt><dd>${policy.step ? [policy.step.up !== undefined ? `adds at most ${policy.step.up}` : '', policy.step.down !== undefined ? `removes at most ${policy.step.down}` : ''].filter(Boolean).join(', ') : 'none'}</dd>
      <dt>Hourly cost limit</dt><dd>${policy.maxHourlyUSD === undefined ? 'none' : `${usd(policy.maxHourlyUSD)}; the minimum takes precedence`}</dd>
      <dt>Scheduled minimums</dt><dd>${policy.triggers.length === 0 ? 'none' : html`<ul>${policy.triggers.map((trigger, at) => html`<li key=${at}>${triggerText(trigger)}</li>`)}</ul>`}</dd>
      <dt>Existing policies of the target</dt><dd>${policy.adoption === null ? 'not specified' : policy.adoption === 'adopt' ? 'kept; only the limits change' : 'removed with the first change'}</dd>
    </dl>
  <//>`
