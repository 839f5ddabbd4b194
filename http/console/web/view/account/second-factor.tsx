/** Your second factor: whether there is one, and taking it away. */
import { useState } from 'preact/hooks'
import { curlOf } from '../../address.ts'
import type { Reply } from '../../api.ts'
import { dayText } from '../../day.ts'
import { pluralize } from '../../figure.ts'
import { useRequest, useReport } from '../../report.ts'
import { Copies, Copy } from '../../part/copy.tsx'
import { FormProblem, TextField } from '../../part/form.tsx'
import { Panel } from '../../part/panel.tsx'
import { EnrollDevice } from '../../part/second-factor.tsx'
import { ReportContent } from '../../part/report-content.tsx'

type State = Reply<'GET /auth/second-factor'>

export function SecondFactor() {
  const report = useReport('GET /auth/second-factor')
  return (
    <Panel title="Second factor" tools={<Copies report={report} />}>
      <ReportContent report={report} rows={2}>
        {(data: State) => <FactorStatus state={data} again={report.again} />}
      </ReportContent>
    </Panel>
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
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const doing = useRequest('POST /auth/second-factor/disable')
  const submit = (event: Event) => {
    event.preventDefault()
    const body = { code: code.replaceAll(' ', ''), ...(password !== '' && { password }) }
    void doing.run({ body }, onDone)
  }
  if (!isOpen)
    return (
      <p>
        <button type="button" class="danger" onClick={() => setOpen(true)}>
          Turn off…
        </button>
      </p>
    )
  return (
    <form class="form" onSubmit={submit} noValidate>
      <p class="note">
        Your password alone is then enough to sign in, and the recovery codes stop working. An organization that
        requires a second factor shows you nothing until you enroll again.
      </p>
      <TextField
        label="Your password"
        type="password"
        value={password}
        onValue={setPassword}
        at="/password"
        problem={doing.problem}
        hint="Leave empty if your account has no password."
        autoComplete="current-password"
        isCode
      />
      <TextField
        label="Six-digit code or recovery code"
        value={code}
        onValue={setCode}
        at="/code"
        problem={doing.problem}
        autoComplete="one-time-code"
        isCode
        required
      />
      <FormProblem problem={doing.problem} fields={['/password', '/code']} />
      <p class="bar">
        <button type="submit" class="danger" disabled={doing.isBusy}>
          Turn off
        </button>{' '}
        <button type="button" onClick={() => setOpen(false)}>
          Cancel
        </button>{' '}
        <Copy
          label="Copy as curl"
          text={curlOf('POST /auth/second-factor/disable', {}, {}, { password: '…', code: '…' })}
        />
      </p>
    </form>
  )
}
