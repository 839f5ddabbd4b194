import { expect } from 'chai'
import { away, inWords, isTrying, Problem, tryingAgain } from '#http/console/web/problem.ts'

describe('a refusal as the console words it', () => {
  const of = (status: number, members: object, retryAfter?: number) =>
    inWords(new Problem(status, members as Record<string, unknown>, retryAfter))

  it('has the API’s own words, and says what to do', () => {
    expect(of(422, { code: 'invalid', detail: 'No such day.' })).to.deep.equal({
      title: 'This cannot be asked',
      advice: 'No such day.',
    })
    expect(of(404, { detail: 'There is no budget b-1.' })).to.deep.equal({
      title: 'Not found',
      advice: 'There is no budget b-1. It may have been deleted, or be another organization’s.',
    })
    expect(of(401, {})).to.deep.equal({
      title: 'Your session has ended',
      advice: 'Nothing was done. Once you have signed in, try it again.',
    })
    expect(of(429, { detail: 'Too many.' }, 7).advice).to.equal('Too many. Nothing was done. Try again in 7 seconds.')
    expect(of(503, { title: 'Busy.' })).to.deep.equal({
      title: 'Tidemark has a problem',
      advice: 'Busy. Try again in a moment.',
    })
    expect(inWords(away()).title).to.equal('Not connected')
  })

  it('of a missing right says who can give it; other refusals say themselves what they are about', () => {
    expect(of(403, { code: 'forbidden', detail: 'This needs space.update.' })).to.deep.equal({
      title: 'Your role does not allow this',
      advice:
        'This needs space.update. An administrator of your organization can give it to you under members and roles.',
    })
    expect(of(403, { code: 'forbidden', detail: 'Not your own.' })).to.deep.equal({
      title: 'This was refused',
      advice: 'Not your own.',
    })
    expect(of(403, { code: 'second_factor_required', detail: 'Set one up.' }).title).to.equal(
      'A second factor is needed',
    )
  })

  it('of a change that nobody answered says whether it may be sent again', () => {
    const unsure = (how: 'once' | 'alike', problem = away()) => inWords(Object.assign(problem, { unsure: how }))
    expect(unsure('once').title).to.equal('It is not known whether this was done')
    expect(unsure('once').advice).to.match(
      /^Tidemark could not be reached\. .* it is done once, however often it is sent\.$/,
    )
    expect(unsure('alike', new Problem(500, { detail: 'It broke.' })).advice).to.match(
      /^It broke\. .*: that comes to the same\.$/,
    )
    const trying = tryingAgain(new Problem(429, {}, 2), 1_500)
    expect([isTrying(trying), trying.message]).to.deep.equal([
      true,
      'It was refused for its pace. It is sent again by itself in 2 seconds.',
    ])
  })
})
