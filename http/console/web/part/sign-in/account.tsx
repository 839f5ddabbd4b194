/** Making an account, confirming its address, and setting a password that was forgotten. Answers tell nobody who has one. */
import { signInProblem, askWithoutToken, signIn } from '../../session.ts'
import { CodeField, EmailField, Form, Lead, NewPasswordField, type Way } from './form.tsx'

const byPassword = (email: string, password: string): Promise<void> =>
  signIn('POST /auth/browser/login', { provider: 'email', email, password })

export function SignUpForm({ way }: { way: Way }) {
  const doing = async (field: (name: string) => string) => {
    const [email, password] = [field('email'), field('password')]
    await askWithoutToken('POST /auth/signup', { email, password, name: field('name') })
    way.keep({ email, password })
    way.to('confirm', `We sent a code to ${email}. If the address already has an account, the email says so.`)
  }
  return (
    <>
      <Form title="Create an account" action="Create account" doing={doing}>
        <label>
          Your name{' '}
          <input
            name="name"
            autocomplete="name"
            maxlength={100}
            pattern=".*[^ ].*"
            title="at least one character that is not a space"
            required
            dir="auto"
          />
        </label>
        <EmailField {...way} />
        <NewPasswordField label="Password" />
      </Form>
      <p class="leads">
        <Lead onClick={() => way.to('in')}>I already have an account</Lead>
        <Lead onClick={() => way.to('confirm')}>I have a code</Lead>
      </p>
      <p class="faint">
        Were you invited? Use the address that received the invitation: you join the organization immediately.
      </p>
    </>
  )
}

export function Confirmation({ way }: { way: Way }) {
  const { email, password } = way.kept
  const doing = async (field: (name: string) => string) => {
    await askWithoutToken('PATCH /auth/email/otp/validate', { email: field('email'), otp: field('otp') })
    if (password === '') return way.to('in', 'Address confirmed. Sign in.')
    way.to('in', 'Address confirmed.')
    await byPassword(field('email'), password)
  }
  const another = async () => {
    await askWithoutToken('POST /auth/email/verify', { email })
    way.to('confirm', `If ${email} is awaiting confirmation, we sent another code.`)
  }
  return (
    <>
      <Form title="Confirm your address" action="Confirm" doing={doing}>
        <EmailField {...way} />
        <CodeField />
      </Form>
      <Again email={email} doing={another} />
      <p class="leads">
        <Lead onClick={() => way.to('in')}>Back to sign-in</Lead>
      </p>
    </>
  )
}

export function ForgotPassword({ way }: { way: Way }) {
  const doing = async (field: (name: string) => string) => {
    const email = field('email')
    way.keep({ email })
    const { message } = await askWithoutToken('POST /auth/password/forget', { email })
    way.to('reset', message)
  }
  return (
    <>
      <Form title="Set a new password" action="Send code" doing={doing}>
        <EmailField {...way} />
      </Form>
      <p class="leads">
        <Lead onClick={() => way.to('in')}>Back to sign-in</Lead>
        <Lead onClick={() => way.to('reset')}>I have a code</Lead>
      </p>
    </>
  )
}

export function Reset({ way }: { way: Way }) {
  const { email } = way.kept
  const doing = async (field: (name: string) => string) => {
    const given = { email: field('email'), otp: field('otp'), newPassword: field('password') }
    await askWithoutToken('PATCH /auth/password/reset', given)
    way.to('in', 'The new password is set and all earlier sessions have ended.')
    await byPassword(given.email, given.newPassword)
  }
  const another = async () => {
    const { message } = await askWithoutToken('POST /auth/password/forget', { email })
    way.to('reset', message)
  }
  return (
    <>
      <Form title="Set a new password" action="Set password and sign in" doing={doing}>
        <EmailField {...way} />
        <CodeField />
        <NewPasswordField label="New password" />
        <p class="faint">This ends all your sessions on every device.</p>
      </Form>
      <Again email={email} doing={another} />
      <p class="leads">
        <Lead onClick={() => way.to('in')}>Back to sign-in</Lead>
      </p>
    </>
  )
}

/** Codes are good for ten minutes. */
const Again = ({ email, doing }: { email: string; doing: () => Promise<void> }) => (
  <p class="leads">
    <Lead onClick={() => void doing().catch(showRefusal)}>Send another code{email && ` to ${email}`}</Lead>
  </p>
)

const showRefusal = (error: unknown): void => {
  signInProblem.value = error as typeof signInProblem.value
}
