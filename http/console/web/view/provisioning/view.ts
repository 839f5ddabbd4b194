/** What teams have made without a ticket, where it stands, and what is built from their repositories. */
import { html } from '../../html.ts'
import { go, param } from '../../router.ts'
import { ViewTabs, tabAsked } from '../../part/tabs.ts'
import { Deployments } from './deployments.ts'
import { JobDetail } from './job.ts'
import { Jobs } from './jobs.ts'
import { ProvisionForm } from './provision-form.ts'
import { Spaces } from './spaces.ts'
import type { ProvisioningJob } from './labels.ts'

const tabs = [
  { name: 'jobs', title: 'Jobs' },
  { name: 'spaces', title: 'Spaces' },
  { name: 'deployments', title: 'Deployments' },
] as const

export function View() {
  const id = param('job')
  if (id !== undefined) return html`<${JobDetail} key=${id} id=${id} />`
  const tab = tabAsked(tabs).name
  const isMaking = tab === 'jobs' && param('new') === 'job'
  return html`<div class="view-head"><h1>Provisioning</h1></div>
    <${ViewTabs} view="provisioning" label="Provisioning" tabs=${tabs} />
    ${isMaking && html`<${ProvisionForm} onClose=${() => go('provisioning')} onDone=${({ id: made }: ProvisioningJob) => go('provisioning', { job: made })} />`}
    ${tab === 'jobs' && !isMaking && html`<${Jobs} />`}${tab === 'spaces' && html`<${Spaces} />`}${tab === 'deployments' && html`<${Deployments} />`}`
}
