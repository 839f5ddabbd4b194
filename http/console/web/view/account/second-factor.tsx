/** Your second factor: whether there is one, and taking it away. */
import { useState } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import { dayText } from '../../day.ts'
import { pluralize } from '../../figure.ts'
import { useReport } from '../../report.ts'
import { ReportPanel } from '../../part/report-panel.tsx'
import { Form } from '../../part/form/form.tsx'
import { EnrollDevice } from '../../part/second-factor.tsx'

type State = Reply<'GET /auth/second-factor'>

export function SecondFactor() {
  const report = useReport('GET /auth/second-factor')
  return (
    <ReportPanel title="Second factor" report={report} rows={2}>
      {(data: State) => <FactorStatus state={data} again={report.again} />}
    </ReportPanel>
  )
}

function FactorStatus({
  state: { enabled, enabledAt, recoveryCodesLeft },
  again,
}: {
  state: State
  again: () => void
}) {
  // While codes are shown that are shown once, nothing takes their place.
  const [isOn, setOn] = useState(enabled)
  const now = (is: boolean) => () => {
    setOn(is)
    again()
  }
  if (!isOn)
    return (
      <>
        <p>
          <span class="badge">off</span> With a second factor, signing in takes a six-digit code from your device as
          well as your password. Nothing changes until you confirm a first code.
        </p>
        <div class="outside">
          <EnrollDevice onDone={now(true)} />
        </div>
      </>
    )
  return (
    <>
      <p>
        <span class="badge good">on</span> {enabledAt && `since ${dayText(enabledAt)}. `}
        {pluralize(recoveryCodesLeft, 'recovery code')} of ten left
        {recoveryCodesLeft < 4 ? ': turn it off and on again to get new ones' : ''}.
      </p>
      <Disable onDone={now(false)} />
    </>
  )
}

function Disable({ onDone }: { onDone: () => void }) {
  const [isOpen, setOpen] = useState(false)
  if (!isOpen)
    return (
      <p>
        <button type="button" class="danger" onClick={() => setOpen(true)}>
          Turn off…
        </button>
      </p>
    )
  return (
    <>
      <p class="note">
        Your password alone is then enough to sign in, and the recovery codes stop working. An organization that
        requires a second factor shows you nothing until you enroll again.
      </p>
      <Form
        noun="second factor"
        title={null}
        action="Turn off"
        isDanger
        begun={() => ({ password: '', code: '' })}
        fields={() => [
          {
            name: 'password',
            label: 'Your password',
            kind: 'password',
            help: 'Leave empty if your account has no password.',
            autoComplete: 'current-password',
          },
          {
            name: 'code',
            label: 'Six-digit code or recovery code',
            kind: 'code',
            isSecret: true,
            autoComplete: 'one-time-code',
            isRequired: true,
          },
        ]}
        body={({ password, code }) => ({ code: code.replaceAll(' ', ''), ...(password !== '' && { password }) })}
        create="POST /auth/second-factor/disable"
        needs={{ create: 'session' }}
        onClose={() => setOpen(false)}
        onDone={onDone}
      />
    </>
  )
}
