/** Signing in by a password, and by the second factor after it. */
import { useState } from 'preact/hooks'
import { giveUp } from '../../start-session.ts'
import { problemOf } from '../../problem.ts'
import { challenge, isOver, signInProblem, signIn } from '../../session.ts'
import { EmailField, Form, Lead, type Way } from './form.tsx'

export function Password({ way }: { way: Way }) {
  const doing = async (field: (name: string) => string) => {
    const given = { email: field('email'), password: field('password') }
    await signIn('POST /auth/browser/login', { provider: 'email', ...given }).catch((error: unknown) => {
      if (problemOf(error).code !== 'email_not_verified') throw error
      way.keep(given)
      way.to('confirm', 'Your address is not confirmed yet. Enter the code we sent to it, or request another one.')
    })
  }
  return (
    <>
      <Form title="Sign in" action="Sign in" doing={doing}>
        <EmailField {...way} />
        <label>
          Password <input name="password" type="password" autocomplete="current-password" maxlength={1024} required />
        </label>
      </Form>
      <p class="leads">
        <Lead onClick={() => way.to('forgotten')}>Forgot your password?</Lead>
        {!isOver.value && <Lead onClick={() => way.to('up')}>Create an account</Lead>}
      </p>
    </>
  )
}

export function SecondFactor() {
  const [isRecovery, setRecovery] = useState(false)
  const doing = (field: (name: string) => string) =>
    signIn('POST /auth/browser/login/totp', { challenge: challenge.value, code: field('code').trim() })
  const other = () => {
    signInProblem.value = undefined
    setRecovery(!isRecovery)
  }
  return (
    <>
      <Form key={String(isRecovery)} title="Your second factor" action="Continue" doing={doing}>
        {isRecovery ? (
          <label>
            Recovery code{' '}
            <input
              name="code"
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
              minlength={6}
              maxlength={32}
              required
            />
            <span class="faint">One of your ten recovery codes. Each works once.</span>
          </label>
        ) : (
          <label>
            Six-digit code from your device{' '}
            <input
              name="code"
              autocomplete="one-time-code"
              inputmode="numeric"
              pattern=" *[0-9]{6} *"
              title="six digits"
              required
            />
          </label>
        )}
      </Form>
      <p class="leads">
        <Lead onClick={other}>{isRecovery ? 'Use your device' : 'Use a recovery code'}</Lead>
        <Lead onClick={() => void giveUp()}>Start over</Lead>
      </p>
      <p class="faint">
        Lost both? An operator can remove the second factor:{' '}
        <code>npm run -s tidemark -- user reset-second-factor EMAIL</code>.
      </p>
    </>
  )
}
