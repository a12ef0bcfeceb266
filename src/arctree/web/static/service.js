// @ts-check
// The server's interface, as the page sees it: a question goes out as JSON, an answer or a
// fault comes back. A fault carries what is wrong, what to do, and the line it is on.

/** What went wrong, told so that a person can mend it. */
export class ServiceFault extends Error {
  /** @param {{fault: string, remedy?: string, line?: number|null, sentence?: string|null}} told */
  constructor(told) {
    super(told.fault);
    this.fault = told.fault;
    this.remedy = told.remedy ?? "";
    this.line = told.line ?? null;
    this.sentence = told.sentence ?? null;
  }
}

/**
 * Ask the server; the answer is its JSON.
 * @param {string} path
 * @param {object|null} [question]  posted when given
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function askService(path, question = null, signal = undefined) {
  const request = question === null
    ? { signal }
    : {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(question),
        signal,
      };
  const response = await reachService(path, request);
  const answer = await response.json().catch(() => null);
  if (response.ok && answer !== null) return answer;
  if (answer?.error?.fault) throw new ServiceFault(answer.error);
  throw new ServiceFault({ fault: statusFault(response.status) });
}

/** Whether an error only says that somebody asked to stop. */
export function wasStopped(error) {
  return error instanceof DOMException && error.name === "AbortError";
}

async function reachService(path, request) {
  try {
    return await fetch(path, request);
  } catch (error) {
    if (wasStopped(error)) throw error;
    throw new ServiceFault({
      fault: "the server does not answer",
      remedy: "see whether arctree serve is still running",
    });
  }
}

function statusFault(status) {
  if (status === 413) return "that is too much at once for the server";
  return `the server answered with status ${status}, and no reason`;
}
