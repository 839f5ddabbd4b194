/** Enrolling a device as a second factor: by a person who wants it, or whose organization demands it. */
import { useState } from 'preact/hooks'
import { problemOf, type Problem } from '../problem.ts'
import { useRequest } from '../report.ts'
import { renew, session, signOut } from '../session.ts'
import { Copy } from './copy.tsx'
import { QrCode } from './qr-code.tsx'
import { TextField } from './form.tsx'
import { ProblemMessage } from './report-content.tsx'

export function SecondFactorNeeded() {
  const [problem, setProblem] = useState<Problem | undefined>()
  const goOn = () => {
    renew().catch((error: unknown) => setProblem(problemOf(error)))
  }
  const { tenants, orgID } = session.value!
  const name = tenants.find(({ id }) => id === orgID)?.name ?? 'Your organization'
  return (
    <>
      <h1>A second factor is required</h1>
      <div class="outside">
        <p>
          <strong dir="auto">{name}</strong> requires two-factor authentication. Set up an authenticator app. It takes a
          minute, and you will enter a code from it each time you sign in.
        </p>
        <EnrollDevice onDone={goOn} />
        {problem && <ProblemMessage problem={problem} />}
      </div>
    </>
  )
}

/** In three steps: who it is, the device, the codes for when it is lost. `onDone` once these were kept. */
export function EnrollDevice({ onDone }: { onDone: () => void }) {
  const begun = useRequest('POST /auth/second-factor')
  const confirmed = useRequest('POST /auth/second-factor/confirm')
  if (confirmed.done) return <Codes codes={confirmed.done.recoveryCodes} onDone={onDone} />
  return begun.done ? <Device {...begun.done} doing={confirmed} /> : <EnrollmentStart doing={begun} />
}

function EnrollmentStart({ doing }: { doing: ReturnType<typeof useRequest<'POST /auth/second-factor'>> }) {
  const [password, setPassword] = useState('')
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void doing.run({ body: password === '' ? {} : { password } })
  }
  return (
    <section class="panel" aria-label="Confirm your identity">
      <h2>1. Confirm your identity</h2>
      <form class="form" onSubmit={submit}>
        <TextField
          label="Your password"
          type="password"
          value={password}
          onValue={setPassword}
          maxLength={1024}
          hint="Leave empty if your account has no password. In that case, sign in again first if your last sign-in was more than five minutes ago."
        />
        <Refusal problem={doing.problem} />
        <p class="bar">
          <button type="submit" class="main" disabled={doing.isBusy}>
            Set up
          </button>
        </p>
      </form>
    </section>
  )
}

/** A refusal of a person, not of a role. */
function Refusal({ problem }: { problem: Problem | undefined }) {
  if (!problem) return null
  if (problem.status === 0 || problem.status >= 500) return <ProblemMessage problem={problem} />
  return (
    <div class="note bad" role="alert">
      <p>{problem.message}</p>
      {problem.code === 'fresh_sign_in_required' && (
        <p>
          <button type="button" onClick={() => void signOut()}>
            Sign out and sign in again
          </button>
        </p>
      )}
    </div>
  )
}

interface DeviceProps {
  secret: string
  otpauthURL: string
  doing: ReturnType<typeof useRequest<'POST /auth/second-factor/confirm'>>
}

function Device({ secret, otpauthURL, doing }: DeviceProps) {
  const [code, setCode] = useState('')
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void doing.run({ body: { code: code.trim() } })
  }
  return (
    <section class="panel" aria-label="Device">
      <h2>2. Add this secret to the app</h2>
      <QrCode text={otpauthURL} label="QR code of the secret" />
      <p>
        Scan the QR code with the app, or type the secret:{' '}
        <code class="secret">{secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}</code>
      </p>
      <p>
        <a href={otpauthURL}>Open in an app on this device</a>{' '}
        <span class="faint">Time-based, six digits, SHA-1, 30 seconds.</span>
      </p>
      <p class="bar">
        <Copy label="Copy secret" text={secret} />
        <Copy label="Copy URL" text={otpauthURL} />
      </p>
      <form class="form" onSubmit={submit}>
        <TextField
          label="Current six-digit code"
          at="/code"
          problem={doing.problem}
          value={code}
          onValue={setCode}
          inputMode="numeric"
          required
        />
        <Refusal problem={doing.problem && doing.problem.errors.length === 0 ? doing.problem : undefined} />
        <p class="bar">
          <button type="submit" class="main" disabled={doing.isBusy}>
            Turn on
          </button>
        </p>
      </form>
    </section>
  )
}

function Codes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  return (
    <section class="panel" aria-label="Recovery codes">
      <h2>3. Save these recovery codes</h2>
      <p>Use these if you lose the device. Each code works once. They are shown only once.</p>
      <ul class="codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <p class="bar">
        <Copy label="Copy codes" text={codes.join('\n')} />{' '}
        <button type="button" class="main" onClick={onDone}>
          I have saved them, continue
        </button>
      </p>
    </section>
  )
}
