"""An asyncio server and three clients on the loopback device."""
import asyncio


async def serve(reader, writer):
    while line := await reader.readline():
        writer.write(line.decode().strip()[::-1].encode() + b"\n")
        await writer.drain()
    writer.close()


async def ask(port, words):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    answers = []
    for word in words:
        writer.write(word.encode() + b"\n")
        answers.append((await reader.readline()).decode().strip())
    writer.close()
    await writer.wait_closed()
    return answers


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        groups = [["abc", "def"], ["μαζί", "łódź"], ["x" * 50000]]
        for answers in await asyncio.gather(*(ask(port, words) for words in groups)):
            print([answer if len(answer) < 20 else len(answer) for answer in answers])


asyncio.run(main())
