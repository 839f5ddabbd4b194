/** What teams have made without a ticket, where it stands, and what is built from their repositories. */
import { go, param } from '../../router.ts'
import { Head } from '../../part/head.tsx'
import { ViewTabs, tabAsked } from '../../part/tabs.tsx'
import { Deployments } from './deployments.tsx'
import { JobDetail } from './job.tsx'
import { Jobs } from './jobs.tsx'
import { ProvisionForm } from './provision-form.tsx'
import { Spaces } from './spaces.tsx'
import type { ProvisioningJob } from './labels.ts'

const tabs = [
  { name: 'jobs', title: 'Jobs' },
  { name: 'spaces', title: 'Spaces' },
  { name: 'deployments', title: 'Deployments' },
] as const

export function View() {
  const id = param('job')
  if (id !== undefined) return <JobDetail key={id} id={id} />
  const tab = tabAsked(tabs).name
  const isMaking = tab === 'jobs' && param('new') === 'job'
  return (
    <>
      <Head title="Provisioning" />
      <ViewTabs view="provisioning" label="Provisioning" tabs={tabs} />
      {isMaking && (
        <ProvisionForm
          onClose={() => go('provisioning')}
          onDone={({ id: made }: ProvisioningJob) => go('provisioning', { job: made })}
        />
      )}
      {tab === 'jobs' && !isMaking && <Jobs />}
      {tab === 'spaces' && <Spaces />}
      {tab === 'deployments' && <Deployments />}
    </>
  )
}
