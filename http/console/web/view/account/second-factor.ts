/** A second factor: what there is, enrolling a device, and taking it away. */
import { useState } from 'preact/hooks'
import { html } from '../../html.ts'
import { curlOf } from '../../address.ts'
import type { Reply } from '../../api.ts'
import { dayText } from '../../day.ts'
import { counted } from '../../figure.ts'
import { useDoing, useReport } from '../../report.ts'
import { Copies, Copy } from '../../part/copy.ts'
import { Refused, TextField } from '../../part/form.ts'
import { Once } from '../../part/once.ts'
import { Panel } from '../../part/panel.ts'
import { Shown } from '../../part/state.ts'

type State = Reply<'GET /auth/second-factor'>

export function SecondFactor() {
  const report = useReport('GET /auth/second-factor')
  const [codes, setCodes] = useState<readonly string[] | undefined>()
  const confirmed = (given: readonly string[]) => {
    setCodes(given)
    report.again()
  }
  return html`<${Panel} title="Second factor" tools=${html`<${Copies} report=${report} />`}>
    ${codes && html`<${Once} label="Your recovery codes" text=${codes.join('\n')} onClose=${() => setCodes(undefined)}><p class="faint">Each is good once, in place of the six digits, for when the device is lost. Keep them away from it.</p><//>`}
    <${Shown} report=${report} rows=${2}>${(data: State) =>
      data.enabled
        ? html`<p><span class="badge good">on</span> since ${dayText(data.enabledAt!)}. ${counted(data.recoveryCodesLeft, 'recovery code')} of ten left${data.recoveryCodesLeft < 4 ? ': disable and enroll again to get new ones' : ''}.</p><${Disable} onDone=${report.again} />`
        : html`<p><span class="badge">off</span> With one, a password alone does not sign in as you: six digits of a device are asked for as well.</p><${Enroll} onConfirmed=${confirmed} />`}<//>
  <//>`
}

const passwordHint = 'Leave it empty if your account has none; then you must have signed in within five minutes.'

function Enroll({ onConfirmed }: { onConfirmed: (codes: readonly string[]) => void }) {
  const [password, setPassword] = useState('')
  const doing = useDoing('POST /auth/second-factor')
  const submit = (event: Event) => {
    event.preventDefault()
    void doing.run({ body: password === '' ? {} : { password } }, () => setPassword(''))
  }
  if (doing.done) return html`<${Device} begun=${doing.done} onConfirmed=${onConfirmed} onClose=${doing.clear} />`
  return html`<form class="form" onSubmit=${submit} noValidate>
    <${TextField} label="Your password" type="password" value=${password} onValue=${setPassword} at="/password" problem=${doing.problem} hint=${passwordHint} autoComplete="current-password" isCode />
    <${Refused} problem=${doing.problem} fields=${['/password']} />
    <p class="bar"><button type="submit" class="main" disabled=${doing.isBusy}>Enroll a device</button> <${Copy} label="Copy as curl" text=${curlOf('POST /auth/second-factor', {}, {}, { password: '…' })} /></p>
    <p class="faint">Nothing changes until a first code of the device is confirmed.</p>
  </form>`
}

interface DeviceProps {
  begun: Reply<'POST /auth/second-factor'>
  onConfirmed: (codes: readonly string[]) => void
  onClose: () => void
}

/** In fours, as it is typed by hand. */
const grouped = (secret: string): string => secret.replaceAll(/(.{4})(?=.)/g, '$1 ')

function Device({ begun: { secret, otpauthURL }, onConfirmed, onClose }: DeviceProps) {
  const [code, setCode] = useState('')
  const doing = useDoing('POST /auth/second-factor/confirm')
  const submit = (event: Event) => {
    event.preventDefault()
    void doing.run({ body: { code: code.replaceAll(' ', '') } }, ({ recoveryCodes }) => onConfirmed(recoveryCodes))
  }
  return html`<form class="form" onSubmit=${submit} noValidate>
    <p>Add an account to your authenticator app by this secret (time-based, six digits, 30 seconds), or <a href=${otpauthURL}>open it in an app of this device</a>.</p>
    <output class="secret" aria-label="Secret of the device">${grouped(secret)}</output>
    <p class="bar"><${Copy} label="Copy the secret" text=${secret} /><${Copy} label="Copy the otpauth address" text=${otpauthURL} /></p>
    <details><summary>The address it stands for</summary><p><code>${otpauthURL}</code></p></details>
    <${TextField} label="Six digits that it shows now" value=${code} onValue=${setCode} at="/code" problem=${doing.problem} inputMode="numeric" autoComplete="one-time-code" isCode required />
    <${Refused} problem=${doing.problem} fields=${['/code']} />
    <p class="bar"><button type="submit" class="main" disabled=${doing.isBusy}>Confirm and turn it on</button> <button type="button" onClick=${onClose}>Not now</button></p>
  </form>`
}

function Disable({ onDone }: { onDone: () => void }) {
  const [isOpen, setOpen] = useState(false)
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const doing = useDoing('POST /auth/second-factor/disable')
  const submit = (event: Event) => {
    event.preventDefault()
    const body = { code: code.replaceAll(' ', ''), ...(password !== '' && { password }) }
    void doing.run({ body }, onDone)
  }
  if (!isOpen)
    return html`<p><button type="button" class="danger" onClick=${() => setOpen(true)}>Turn it off …</button></p>`
  return html`<form class="form" onSubmit=${submit} noValidate>
    <p class="note">A password alone signs in as you then, and the recovery codes are good for nothing. An organization that demands a second factor shows you nothing until you enroll again.</p>
    <${TextField} label="Your password" type="password" value=${password} onValue=${setPassword} at="/password" problem=${doing.problem} hint="Leave it empty if your account has none." autoComplete="current-password" isCode />
    <${TextField} label="Six digits of the device, or a recovery code" value=${code} onValue=${setCode} at="/code" problem=${doing.problem} autoComplete="one-time-code" isCode required />
    <${Refused} problem=${doing.problem} fields=${['/password', '/code']} />
    <p class="bar"><button type="submit" class="danger" disabled=${doing.isBusy}>Turn it off</button> <button type="button" onClick=${() => setOpen(false)}>Keep it</button> <${Copy} label="Copy as curl" text=${curlOf('POST /auth/second-factor/disable', {}, {}, { password: '…', code: '…' })} /></p>
  </form>`
}
