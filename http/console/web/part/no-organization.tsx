/** Of a person who works in no organization: the invitations that wait, and making one. */
import { useState } from 'preact/hooks'
import { problemOf, type Problem } from '../problem.ts'
import { useRequest } from '../report.ts'
import { enter, session } from '../session.ts'
import { TextField } from './form.tsx'
import { ProblemMessage } from './report-content.tsx'

export function NoOrganization() {
  const { tenants, user } = session.value!
  const [problem, setProblem] = useState<Problem | undefined>()
  const into = (id: string) => enter(id).catch((error: unknown) => setProblem(problemOf(error)))
  return (
    <>
      <h1>You do not belong to an organization yet</h1>
      <div class="outside">
        {problem && <ProblemMessage problem={problem} />}
        {tenants.length > 0 ? (
          <section class="panel" aria-label="Invitations">
            <h2>You are invited</h2>
            <ul class="invitations">
              {tenants.map(({ id, name }) => (
                <li key={id}>
                  <span class="clip wide" title={name} dir="auto">
                    {name}
                  </span>
                  <button type="button" class="main" onClick={() => void into(id)}>
                    Accept
                  </button>
                </li>
              ))}
            </ul>
            <p class="faint">
              Its members will see your name and email address. To leave, ask one of its administrators.
            </p>
          </section>
        ) : (
          <p>
            <strong>{user.email}</strong> has no invitations. Ask an administrator of your organization to invite you,
            then reload this page.
          </p>
        )}
        <Making into={into} />
      </div>
    </>
  )
}

function Making({ into }: { into: (id: string) => Promise<void> }) {
  const [name, setName] = useState('')
  const making = useRequest('POST /organisations')
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void making.run({ body: { name } }, ({ id }) => void into(id))
  }
  return (
    <section class="panel" aria-label="Create an organization">
      <h2>Create an organization</h2>
      <form class="form" onSubmit={submit}>
        <TextField
          label="Name"
          at="/name"
          problem={making.problem}
          value={name}
          onValue={setName}
          maxLength={100}
          required
        />
        <p class="faint">You become its owner and can invite others.</p>
        {making.problem && making.problem.errors.length === 0 && <ProblemMessage problem={making.problem} />}
        <p class="bar">
          <button type="submit" class="main" disabled={making.isBusy}>
            Create
          </button>
        </p>
      </form>
    </section>
  )
}
