# Makes calls of all four kinds with gRPC for Python, and prints what it gets:
#   calls.py HOST:PORT DESCRIPTORS
import sys

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

files = descriptor_pb2.FileDescriptorSet()
with open(sys.argv[2], "rb") as f:
    files.ParseFromString(f.read())
pool = descriptor_pool.DescriptorPool()
for file in files.file:
    pool.Add(file)
service = pool.FindServiceByName("grpc.testing.TestService")
messages = message_factory.MessageFactory(pool)


def stub(channel, name):
    """Returns the function that calls a method."""
    method = service.FindMethodByName(name)
    described = descriptor_pb2.MethodDescriptorProto()
    method.CopyToProto(described)
    kind = "_".join(
        "stream" if is_stream else "unary"
        for is_stream in (described.client_streaming, described.server_streaming)
    )
    answer = messages.GetPrototype(method.output_type)
    return messages.GetPrototype(method.input_type), getattr(channel, kind)(
        "/grpc.testing.TestService/" + name,
        request_serializer=lambda m: m.SerializeToString(),
        response_deserializer=answer.FromString,
    )


with grpc.insecure_channel(sys.argv[1]) as channel:
    Request, unary = stub(channel, "UnaryCall")
    for _ in range(2):
        answer, call = unary.with_call(Request(payload={"body": b"hello"}), metadata=[("x-tenant", "a")])
        print(answer.payload.body, dict(call.trailing_metadata()).get("x-request-id"))
    try:
        unary(Request(response_status={"code": 5, "message": "gone"}))
    except grpc.RpcError as e:
        print(e.code(), e.details())

    Request, server_stream = stub(channel, "StreamingOutputCall")
    for answer in server_stream(Request(payload={"body": b"fine"}, response_parameters=[{}, {}, {}])):
        print(answer.payload.body)

    Request, client_stream = stub(channel, "StreamingInputCall")
    print(client_stream(Request(payload={"body": b"x" * n}) for n in (1, 2, 3)))

    Request, two_way = stub(channel, "FullDuplexCall")
    requests = (Request(payload={"body": b}, response_parameters=[{}]) for b in (b"a", b"b"))
    for answer in two_way(requests):
        print(answer.payload.body)
