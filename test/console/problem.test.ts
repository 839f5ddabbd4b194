import { expect } from 'chai'
import { away, inWords, isTrying, Problem, tryingAgain } from '#http/console/web/problem.ts'

describe('a refusal as the console words it', () => {
  const of = (status: number, members: object, retryAfter?: number) =>
    inWords(new Problem(status, members as Record<string, unknown>, retryAfter))

  it('has the API’s own words, and says what to do', () => {
    expect(of(422, { code: 'invalid', detail: 'No such day.' })).to.deep.equal({
      title: 'Invalid request',
      advice: 'No such day.',
    })
    expect(of(404, { detail: 'There is no budget b-1.' })).to.deep.equal({
      title: 'Not found',
      advice: 'There is no budget b-1. It may have been deleted, or it may belong to another organization.',
    })
    expect(of(401, {})).to.deep.equal({
      title: 'Your session has ended',
      advice: 'Nothing was changed. Sign in, then try again.',
    })
    expect(of(429, { detail: 'Too many.' }, 7).advice).to.equal(
      'Too many. Nothing was changed. Try again in 7 seconds.',
    )
    expect(of(503, { title: 'Busy.' })).to.deep.equal({
      title: 'Server error',
      advice: 'Busy. Try again in a moment.',
    })
    expect(inWords(away()).title).to.equal('Not connected')
  })

  it('of a missing right says who can give it; other refusals say themselves what they are about', () => {
    expect(of(403, { code: 'forbidden', detail: 'This needs space.update.' })).to.deep.equal({
      title: 'Your role does not allow this',
      advice: 'This needs space.update. An administrator of your organization can grant it to you under Members.',
    })
    expect(of(403, { code: 'forbidden', detail: 'Not your own.' })).to.deep.equal({
      title: 'This request was refused',
      advice: 'Not your own.',
    })
    expect(of(403, { code: 'second_factor_required', detail: 'Set one up.' }).title).to.equal(
      'A second factor is required',
    )
  })

  it('of a change that nobody answered says whether it may be sent again', () => {
    const unsure = (how: 'once' | 'alike', problem = away()) => inWords(Object.assign(problem, { unsure: how }))
    expect(unsure('once').title).to.equal('It is unclear whether this succeeded')
    expect(unsure('once').advice).to.match(
      /^Could not reach Tidemark\. .* it is applied only once, however often it is sent\.$/,
    )
    expect(unsure('alike', new Problem(500, { detail: 'It broke.' })).advice).to.match(
      /^It broke\. .*: repeating it has the same effect\.$/,
    )
    const trying = tryingAgain(new Problem(429, {}, 2), 1_500)
    expect([isTrying(trying), trying.message]).to.deep.equal([true, 'Too many requests. Retrying in 2 seconds.'])
  })
})
