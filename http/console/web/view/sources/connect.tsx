/** Connects an account, step by step. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import { Act } from '../../part/act.tsx'
import { ChoiceField } from '../../part/form.tsx'
import { Panel } from '../../part/panel.tsx'
import { change, param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { may } from '../../session.ts'
import { accessAsked, close, cloudAsked, stepAsked, steps, type Cloud, type ConnectStep } from './connect-query.ts'
import { Guide } from './guide.tsx'
import { Other, type Secrets } from './other-clouds.tsx'
import { Permissions } from './permissions.tsx'
import { Role } from './role.tsx'

type About = Reply<'GET /cloud-accounts/guide'>

const cloudTitles: Readonly<Record<Cloud, string>> = {
  aws: 'AWS',
  gcp: 'Google Cloud',
  azure: 'Azure',
  kubernetes: 'Kubernetes cluster on its own',
}

const stepTitles: Readonly<Record<ConnectStep, string>> = {
  connect: 'Grant access and connect',
  permissions: 'Check permissions',
}

export function Connect() {
  const cloud = cloudAsked()
  // Credentials stay in this page, whichever cloud and step is looked at meanwhile.
  const [secrets, setSecrets] = useState<Secrets>({})
  const about = useReport('GET /cloud-accounts/guide', { when: cloud !== undefined && may('space.view') })
  if (cloud === undefined)
    return (
      <p>
        <Act needs="space.create" class="main" onClick={() => change({ connect: 'aws' })}>
          Connect an account
        </Act>
      </p>
    )
  const end = () => {
    setSecrets({})
    close()
  }
  return (
    <Panel
      title="Connect an account"
      tools={
        <button type="button" class="quiet" onClick={end}>
          {stepAsked() === 'permissions' ? 'Done' : 'Cancel'}
        </button>
      }
    >
      <Steps cloud={cloud} />
      <Body cloud={cloud} about={about.data} secrets={secrets} onSecrets={setSecrets} />
    </Panel>
  )
}

interface BodyProps {
  cloud: Cloud
  about: About | undefined
  secrets: Secrets
  onSecrets: (secrets: Secrets) => void
}

function Body({ cloud, about, secrets, onSecrets }: BodyProps) {
  const step = stepAsked()
  const account = param('check')
  if (step === 'permissions' && account !== undefined) return <Permissions key={account} id={account} isNew />
  const driver = cloud === 'kubernetes' ? undefined : about?.drivers[cloud]
  if (cloud !== 'aws')
    return (
      <>
        <ChooseCloud cloud={cloud} />
        <DriverNote cloud={cloud} driver={driver} />
        <Other cloud={cloud} secrets={secrets} onSecrets={onSecrets} />
      </>
    )
  return (
    <div class="halves">
      <div>
        <ChooseCloud cloud={cloud} />
        <DriverNote cloud={cloud} driver={driver} />
        <Role externalID={about?.externalID} />
      </div>
      {accessAsked() !== 'none' && <Guide />}
    </div>
  )
}

const options = Object.entries(cloudTitles).map(([value, title]) => ({ value, title }))

const ChooseCloud = ({ cloud }: { cloud: Cloud }) => (
  <div class="form">
    <ChoiceField
      label="Cloud"
      value={cloud}
      options={options}
      onValue={(to: string) => change({ connect: to, step: null })}
    />
  </div>
)

function DriverNote({ cloud, driver }: { cloud: Cloud; driver: About['drivers'][keyof About['drivers']] | undefined }) {
  if (driver === 'simulated')
    return (
      <p class="note after">
        This installation uses its own simulated cloud instead of {cloudTitles[cloud]}. Accounts connected here are
        simulated and marked as such.
      </p>
    )
  if (driver === 'none')
    return (
      <p class="note after">
        {cloudTitles[cloud]} is not supported by a connector yet. Until then, producers and uploaded bills feed the
        account. Credentials you enter now are kept for later.
      </p>
    )
  return null
}

/** Who uses the keyboard goes on at the step that was led to; a page that is opened leaves him where he is. */
function Steps({ cloud }: { cloud: Cloud }) {
  const step = stepAsked()
  const place = useRef<HTMLLIElement>(null)
  const before = useRef(step)
  useEffect(() => {
    if (before.current !== step) place.current?.focus()
    before.current = step
  }, [step])
  if (cloud !== 'aws') return null
  return (
    <ol class="steps across" aria-label="Steps">
      {steps.map((one) => {
        const isHere = one === step
        return (
          <li
            key={one}
            ref={isHere ? place : null}
            tabindex={isHere ? -1 : undefined}
            aria-current={isHere ? 'step' : undefined}
          >
            {stepTitles[one]}
          </li>
        )
      })}
    </ol>
  )
}
